/** The endpoints that the service must have: those of the seed document, and those that the contract adds. */

export type Access = "public" | "player" | "moderator" | "administrator";

/** An endpoint as the contract describes it. */
export interface EndpointContract {
  route: string;
  access: Access;
  /** The folder of `functions/` in which it lives. */
  module: string;
  /** Whether a retry with the same Idempotency-Key is answered from the record. */
  once: boolean;
  /** The status of success. */
  status: number;
  /** The fields of its answer, for an endpoint that answers the same whatever has happened in the game. */
  answer?: string;
  /** The status of a success that is not empty, where the other one is. */
  withBody?: number;
}

const promised = (
  module: string,
  access: Access,
  route: string,
  more: Partial<EndpointContract> = {},
): EndpointContract => ({
  route,
  access,
  module,
  once: false,
  status: 200,
  ...more,
});

const once = { once: true };

export const SEED: readonly EndpointContract[] = [
  promised("admin", "administrator", "POST /admin/corpsify/{url_id}", once),
  promised("admin", "administrator", "POST /admin/cure/{url_id}", once),
  promised("admin", "moderator", "POST /admin/feed_player/{url_id}", once),
  promised("admin", "administrator", "POST /admin/feed/{url_id}", once),
  promised("admin", "moderator", "GET /admin/get_players/{url_id}"),
  promised("admin", "administrator", "GET /admin/get_logs/{url_id}"),
  promised("admin", "administrator", "POST /admin/inject_sql/{url_id}"),
  promised("admin", "administrator", "POST /admin/kill_all_not_at_checkpoint/{url_id}", once),
  promised("admin", "moderator", "POST /admin/player_at_checkpoint/{url_id}", once),
  promised("admin", "administrator", "GET /admin/player_count/{url_id}"),
  promised("admin", "administrator", "POST /admin/recover_password/{url_id}"),
  promised("admin", "administrator", "POST /admin/revive_h/{url_id}", once),
  promised("admin", "administrator", "POST /admin/revive_z/{url_id}", once),
  promised("admin", "administrator", "POST /admin/set_checkpoint/{url_id}", once),
  promised("admin", "administrator", "POST /admin/zombies_add_day/{url_id}", once),

  promised("player", "public", "POST /new", { once: true, status: 201 }),
  promised("player", "public", "POST /login"),
  promised("player", "public", "POST /logout", { status: 204 }),
  // With the current password it is empty; a recovery code opens a session.
  promised("player", "public", "POST /change_password", { status: 204, withBody: 200 }),
  promised("player", "player", "DELETE /delete_player/{url_id}", { status: 204 }),
  promised("player", "player", "POST /edit_player/{url_id}", once),
  promised("player", "player", "GET /player/{url_id}"),
  promised("player", "player", "POST /get_player/{url_id}"),
  promised("player", "player", "GET /users/{url_id}"),
  promised("player", "player", "GET /checkpoint/{url_id}"),
  promised("player", "player", "GET /pfp/{url_id}"),
  promised("player", "player", "POST /get_pfp/{url_id}"),
  promised("player", "player", "POST /set_pfp/{url_id}", once),

  promised("interactions", "player", "GET /interactions/{url_id}"),
  promised("interactions", "player", "GET /interactions/leaderboard/{url_id}"),
  promised("interactions", "player", "GET /interactions/tree/{url_id}"),

  promised("zombie", "player", "POST /zombie/hunt/{url_id}", once),
  promised("zombie", "player", "GET /zombie/next_feeding/{url_id}"),
  promised("zombie", "player", "GET /zombie/starvation/{url_id}"),

  promised("notifications", "player", "POST /notifications/subscribe/{url_id}", once),
  promised("notifications", "player", "DELETE /subscriptions/unsubscribe/{url_id}", { status: 204 }),
  promised("notifications", "administrator", "POST /notifications/send/{url_id}", once),
];

/** The endpoints that the contract adds. */
const ADDED_ENDPOINTS: readonly EndpointContract[] = [
  promised("player", "public", "GET /health", { answer: "ok" }),
  promised("notifications", "public", "GET /notifications/vapid_public_key"),
  promised("notifications", "administrator", "GET /notifications/status/{url_id}"),
  promised("player", "player", "GET /game/{url_id}"),
  promised("player", "player", "GET /session/me"),
  promised("player", "public", "GET /public"),
  promised("player", "player", "GET /live/{url_id}"),
  promised("player", "public", "GET /pictures/{picture_id}"),
  promised("admin", "administrator", "POST /admin/pause_game/{url_id}", once),
  promised("admin", "administrator", "POST /admin/resume_game/{url_id}", once),
  promised("admin", "administrator", "POST /admin/edit_player/{url_id}", once),
  promised("admin", "administrator", "POST /admin/remove_player/{url_id}", { once: true, status: 204 }),
  promised("admin", "administrator", "POST /admin/void_hunt/{url_id}", once),
  promised("admin", "administrator", "GET /admin/settings/{url_id}"),
  promised("admin", "administrator", "POST /admin/settings/{url_id}", once),
  promised("player", "player", "POST /player/report_tagged/{url_id}", once),
  promised("admin", "administrator", "POST /admin/name_hunter/{url_id}", once),
  promised("admin", "administrator", "POST /admin/admit/{url_id}", once),
  promised("admin", "administrator", "POST /admin/make_spectator/{url_id}", once),
  promised("player", "player", "POST /player/enrol/{url_id}", once),
  promised("admin", "administrator", "POST /admin/label/{url_id}", once),
  promised("notifications", "administrator", "POST /notifications/withdraw/{url_id}", once),
  promised("notifications", "player", "GET /notifications/inbox/{url_id}"),
  promised("interactions", "player", "GET /interactions/stats/{url_id}"),
];

/** The endpoints that there must be. */
export const ENDPOINTS: readonly EndpointContract[] = [...SEED, ...ADDED_ENDPOINTS];
