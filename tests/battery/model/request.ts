/** Requests in the model, and the input and result of a rule. */
import type { Model, Player, State } from "./state.ts";

export type Ref = { alias: string } | { player_id: string };
/** What selects a group of players. */
export type Group = { aliases?: string[]; label?: string; dry_run?: boolean };
type None = Record<string, never>;

/** The input by endpoint: the body, or the query of a GET. */
export interface Bodies {
  "POST /new": { alias: string; password: string; first_name?: string };
  "POST /login": { alias: string; password: string; device_token?: string | null };
  "POST /logout": { everywhere?: boolean };
  "POST /change_password": { alias: string; new_password: string; device_token?: string | null } & (
    | { current_password: string }
    | { recovery_code: string }
  );
  "DELETE /delete_player/{url_id}": None;
  "POST /edit_player/{url_id}": { alias?: string; first_name?: string | null; wants_original?: boolean };
  "GET /player/{url_id}": None;
  "POST /get_player/{url_id}": { alias: string };
  "GET /users/{url_id}": { state?: State };
  "GET /checkpoint/{url_id}": None;
  "GET /game/{url_id}": None;
  "GET /pfp/{url_id}": None;
  "POST /set_pfp/{url_id}": { image: string };
  "POST /notifications/subscribe/{url_id}": { endpoint: string; p256dh: string; auth: string };
  "DELETE /subscriptions/unsubscribe/{url_id}": None;
  "POST /zombie/hunt/{url_id}": {
    tag_code: string;
    hunted_at?: string;
    share_with?: string[];
    note?: string;
  };
  "POST /player/report_tagged/{url_id}": { by_alias?: string; tagged_at?: string };
  "GET /zombie/next_feeding/{url_id}": None;
  "GET /zombie/starvation/{url_id}": None;
  "GET /interactions/{url_id}": { limit: number; kind?: string };
  "GET /interactions/leaderboard/{url_id}": None;
  "GET /interactions/tree/{url_id}": { root?: string };
  "POST /player/enrol/{url_id}": None;
  "POST /admin/make_spectator/{url_id}": Ref;
  "POST /admin/corpsify/{url_id}": Ref;
  "POST /admin/cure/{url_id}": Ref;
  "POST /admin/revive_h/{url_id}": Ref;
  "POST /admin/revive_z/{url_id}": Ref;
  "POST /admin/feed_player/{url_id}": Ref;
  "POST /admin/feed/{url_id}": { n: number };
  "POST /admin/draw_originals/{url_id}": { n: number; dry_run?: boolean; seed?: string };
  "POST /admin/zombies_add_day/{url_id}": None;
  "POST /admin/pause_game/{url_id}": None;
  "POST /admin/resume_game/{url_id}": None;
  "POST /admin/set_checkpoint/{url_id}":
    | { name: string; closes_at?: string; applies_to?: "all" | "humans" | "zombies" }
    | { clear: true };
  "POST /admin/player_at_checkpoint/{url_id}": Ref | { tag_code: string };
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": { dry_run?: boolean; checkpoint_id?: string };
  "POST /admin/undo_checkpoint/{url_id}": { checkpoint_id: string; reason: string; dry_run?: boolean };
  "POST /admin/recover_password/{url_id}": Ref;
  "POST /admin/edit_player/{url_id}": Ref & {
    alias_to?: string;
    first_name?: string | null;
    is_admin?: boolean;
    clear_picture?: boolean;
    note?: string | null;
  };
  "POST /admin/label/{url_id}": { aliases: string[]; add?: string[]; remove?: string[] };
  "POST /admin/revive_all/{url_id}": Group & { as?: "human" | "zombie"; state?: "corpse" | "spectator" };
  "POST /admin/feed_group/{url_id}": Group & { state?: "zombie" };
  "POST /admin/remove_player/{url_id}": Ref;
  "POST /admin/void_hunt/{url_id}": { interaction_id: string; reason: string; dry_run?: boolean };
  "POST /admin/name_hunter/{url_id}": Ref & { interaction_id: string };
  "POST /interactions/dispute/{url_id}": { interaction_id: string; reason: string };
  "POST /admin/comment_dispute/{url_id}": { dispute_id: string; comment: string };
  "POST /admin/resolve_dispute/{url_id}": { dispute_id: string; outcome: "void" | "stands"; note: string };
  "GET /admin/disputes/{url_id}": { status?: "open" | "stands" | "void" };
  "POST /admin/hunt/{url_id}": { hunter: string; prey: string; hunted_at?: string; share_with?: string[] };
  "POST /admin/new_tag_code/{url_id}": Ref;
  "POST /admin/lift_lockout/{url_id}": Ref;
  "GET /admin/get_players/{url_id}": { state?: State; passed?: boolean; label?: string };
  "GET /admin/player_count/{url_id}": None;
  "GET /admin/get_logs/{url_id}": { limit: number };
}
export type Route = keyof Bodies;

interface RequestTo<R extends Route> {
  route: R;
  body: Bodies[R];
  /** The `{url_id}`, and the token. */
  by: string | null;
  token: string | null;
  /** Idempotency-Key. */
  key: string | null;
  /** The address that it comes from. */
  from: string;
}
/** A request to any endpoint, or to one of the given ones. */
export type Request<R extends Route = Route> = { [Each in R]: RequestTo<Each> }[R];

/** What the model cannot predict: ids and secrets that the service has generated. */
export interface ServiceFacts {
  /** A text of the response. */
  field: (field: string) => string;
  /** The text of the whole response. */
  text: string;
  /** The present tag code of a player. */
  codeOf: (player: string) => string;
  /** The events that this step recorded. */
  events: readonly { id: string; kind: string; at: string; actor: string | null; target: string | null }[];
}

/** The rest of a request. */
export interface Call {
  facts: ServiceFacts;
  token: string | null;
  from: string;
  /** The target in the log. */
  actor: string | null;
}

/** The response that the model expects. */
export interface Expected {
  status: number;
  /** The code of an error. */
  code?: string;
  retryAfter?: number | null;
  /** The body; none for one that is not JSON. */
  body?: unknown;
  /** The exact text of a repeated response. */
  text?: string;
  /** Whether it is the response of an earlier request. */
  isRepeated?: boolean;
}

/** The result of a rule. The body is made after all recorded events have their ids. */
export interface ModelResponse {
  status: number;
  body?: (after: Model) => unknown;
}

/** The rule of an endpoint. */
export interface Rule<B> {
  access: "public" | "player" | "administrator";
  /** Whether `Idempotency-Key` has an effect. */
  isIdempotent: boolean;
  isLogged: boolean;
  apply: (m: Model, body: B, call: Call, caller: Player | null) => ModelResponse;
}

/** Some of the rules, by endpoint. */
export type Rules<R extends Route> = { [Each in R]: Rule<Bodies[Each]> };

const given = (caller: Player | null): Player => {
  if (caller === null) throw new Error("nobody is asking");
  return caller;
};

type Apply<B> = (m: Model, body: B, caller: Player, call: Call) => ModelResponse;

/** The rule of a public endpoint. */
export const forAll = <B>(
  apply: (m: Model, body: B, call: Call) => ModelResponse,
  more: Partial<Rule<B>> = {},
): Rule<B> => ({ access: "public", isIdempotent: false, isLogged: false, apply: apply, ...more });

/** The rule of an endpoint for players. */
export const forPlayers = <B>(apply: Apply<B>, more: Partial<Rule<B>> = {}): Rule<B> => ({
  access: "player",
  isIdempotent: false,
  isLogged: false,
  apply: (m, body, call, caller) => apply(m, body, given(caller), call),
  ...more,
});

/** The rule of an endpoint for game masters. */
export const forMasters = <B>(apply: Apply<B>, more: Partial<Rule<B>> = {}): Rule<B> => ({
  ...forPlayers(apply),
  access: "administrator",
  isLogged: true,
  ...more,
});

export const IDEMPOTENT = { isIdempotent: true };
