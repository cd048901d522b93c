/**
 * What the app needs of a response or of a stored value: the fields that would make a page throw if they were of another
 * type. A response without them counts as no response, and a stored value without them is dropped. Other fields may be missing
 * and unknown ones may come, because the service may be of another version.
 */
import type { paths } from "../../../client/src/types.ts";
import { byCounter, counterOf, LIVING, STATE_NAMES } from "../../../lib/domain/players/states.ts";
import type {
  Badge,
  Game,
  Interaction,
  Live,
  Message,
  Mission,
  Player,
  PublicGame,
  PublicPlayer,
  RedeemResult,
  ZombieTree,
} from "../schemas.ts";

export type Check = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

export const text: Check = (value) => typeof value === "string";
export const number: Check = Number.isFinite;
/** A time in milliseconds since 1970 that can be formatted. */
export const instant: Check = (value) =>
  typeof value === "number" && !Number.isNaN(new Date(value).getTime());
/** A time that can be formatted. */
export const time: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
export const optional =
  (check: Check): Check =>
  (value) =>
    value == null || check(value);
export const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);

/** An object that has at least these fields. */
export const shape =
  <T>(fields: { [K in keyof T]?: Check }): Check =>
  (value) =>
    isRecord(value) &&
    Object.entries<Check | undefined>(fields).every(([name, check]) => check?.(value[name]));

const state = oneOf(...STATE_NAMES);
const counts = shape<Game["counts"]>({ total: number, ...byCounter(STATE_NAMES, () => number) });
/** `null` if there are no more pages. A page without it would be asked for again and again. */
const next_cursor: Check = (value) => value === null || text(value);

const badge = shape<Badge>({ name: text, symbol: text });
/** A service or a stored snapshot from before the codes has none of these. */
const prizes = { points: optional(number), badges: optional(list(badge)) };

const player = shape<Player>({
  ...{ player_id: text, player_ref: text, alias: text, role: text, state, kills: number },
  ...{ tag_code: optional(text), push_kinds: list(text) },
  ...{ infected_at: optional(time), last_fed_at: optional(time), passed_at: optional(time) },
  starves_at: optional(time),
  ...prizes,
});

const checkpoint = shape<NonNullable<Game["checkpoint"]>>({
  ...{ name: text, applies_to: oneOf("all", ...LIVING.map(counterOf)), closes_at: optional(time) },
});

const game = shape<Game>({
  ...{ now: time, name: text, time_zone: text, phase: text, counts, checkpoint: optional(checkpoint) },
  ...{ feeding_period_seconds: number, report_window_seconds: number, sharers: number },
  ...{ starts_at: optional(time), ends_at: optional(time), next_change_at: optional(time) },
});

const event = shape<Interaction>({
  ...{ interaction_id: text, kind: text, at: time, details: isRecord },
  ...{ actor: optional(text), target: optional(text) },
});
const message = shape<Message>({ notification_id: text, title: text, content: text, sent_at: time });
const effect = shape<Mission["rewards"][number]["effect"]>({ badge: optional(isRecord) });
const mission = shape<Mission>({
  ...{ mission_id: text, title: text, starts_at: time, ends_at: time, closed_at: optional(time) },
  briefings: list(
    shape<Mission["briefings"][number]>({
      audience: text,
      text,
      reveal_at: time,
      outcome_text: optional(text),
    }),
  ),
  rewards: list(shape<Mission["rewards"][number]>({ audience: text, effect })),
  earned: list(effect),
});
/** An entry of a board, where zombies have kills and survivors a time. */
const ranked = shape<{ player_ref: string; alias: string; survived_since: string }>({
  ...{ player_ref: text, alias: text, survived_since: optional(time) },
});
const person = shape<PublicPlayer>({ player_ref: text, alias: text, state, kills: number, created_at: time });

const node: Check = (value) =>
  shape<ZombieTree>({
    ...{ alias: optional(text), state: optional(state), kills: number, infected_at: optional(time) },
    children: list(node),
  })(value);
const tree = shape<{ roots: unknown; size: unknown }>({ roots: list(node), size: number });

export const isPublicGame = shape<PublicGame>({
  ...{ name: text, time_zone: text, phase: text, counts, next_change_at: optional(time) },
  ...{ starts_at: optional(time), ends_at: optional(time) },
  board: optional(
    shape<NonNullable<PublicGame["board"]>>({
      ...{ interactions: list(event), leaderboard: list(ranked) },
      history: list(shape<{ from: string; humans: number }>({ from: time, humans: number })),
    }),
  ),
});

/** The player and the game, as in a response of `/live` and in the stored snapshot. */
export const isPlayerInGame = shape<{ player: Player; game: Game }>({ player, game });

/** A page of a list under a name. */
const pageOf = (name: string, item: Check): Check => shape({ [name]: list(item), next_cursor });

/** What is needed of the response to each path. The pages of game masters add theirs. */
export const NEEDS: Partial<Record<string, Check>> = {
  "/live/{url_id}": (value) =>
    isPlayerInGame(value) &&
    shape<Live>({ unread: number, seconds_left: optional(number), next_after: optional(text) })(value),
  "/public": isPublicGame,
  "/session/me": shape({ player_id: text }),
  "/notifications/vapid_public_key": shape({ public_key: text }),
  "/zombie/hunt/{url_id}": shape({
    prey: shape({ alias: optional(text) }),
    hunter: shape({ kills: number, starves_at: optional(time) }),
    interaction: event,
  }),
  "/player/redeem/{url_id}": shape<RedeemResult>({
    did: shape<RedeemResult["did"]>({ points: number, badge: optional(badge), message: optional(text) }),
    player: shape<RedeemResult["player"]>({ points: number, starves_at: optional(time) }),
  }),
  "/zombie/starvation/{url_id}": shape({ zombies: list(shape({ alias: text, seconds_left: number })) }),
  "/interactions/{url_id}": pageOf("interactions", event),
  "/interactions/leaderboard/{url_id}": pageOf("players", ranked),
  "/interactions/tree/{url_id}": tree,
  "/interactions/stats/{url_id}": shape({ points: list(shape({ from: time })) }),
  "/missions/{url_id}": pageOf("missions", mission),
  "/notifications/inbox/{url_id}": pageOf("notifications", message),
  "/users/{url_id}": pageOf("users", person),
  "/get_player/{url_id}": (value) => person(value) && shape<Player>(prizes)(value),
} satisfies Partial<Record<keyof paths, Check>>;

/** What is needed of the items of each list that is kept for when the device is offline. */
export const ITEMS = {
  feed: event,
  game: isPublicGame,
  history: event,
  inbox: message,
  kills: ranked,
  missions: mission,
  outbreak: tree,
  players: person,
  points: ranked,
  survivors: ranked,
} satisfies Record<string, Check>;

/** The name of a list that is kept. */
export type ListName = keyof typeof ITEMS;

/** The version of everything that is stored. Values of earlier builds have none, and the same shape. */
export const VERSION = 1;

/** Whether this build knows the shape of a stored value, by the version in it. */
export const isKnownVersion = (value: object): boolean =>
  !("version" in value) || value.version === undefined || value.version === VERSION;
