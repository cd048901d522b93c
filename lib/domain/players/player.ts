/** Players: their data and their state in the game. */
import * as z from "zod/mini";
import { ReviewReason } from "../accounts/review.ts";
import { starvedAt } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import { OwnBadge } from "../rewards/reward.ts";
import {
  boolean,
  falseByDefault,
  integer,
  noTextsByDefault,
  nullableInteger,
  nullableNumber,
  nullableText,
  nullTextByDefault,
  number,
  optionalBoolean,
  optionalInteger,
  optionalText,
  optionalTrue,
  text,
  textList,
  zeroByDefault,
} from "../schemas.ts";
import { BeforeCheckpoint, Cover, Kill } from "./lifeRecords.ts";
import { STATE_NAMES, STATES } from "./states.ts";

export const State = z.enum(STATE_NAMES);
export type State = keyof typeof STATES;

/**
 * A feeding of a zombie. `hunt` is the id of the hunt that fed it, or `null` for the feedings that cannot be voided.
 * `deadline` is in milliseconds of game time; `at` is RFC 3339.
 */
const Feeding = z.looseObject({ hunt: nullableText, deadline: number, epoch: integer, at: nullableText });
export type Feeding = z.infer<typeof Feeding>;

/**
 * A player as stored, in any state. A loose object, so that fields of a newer version survive a write by an older one.
 * Times are RFC 3339, `deadline` is milliseconds of game time.
 */
export const StoredPlayer = z.looseObject({
  player_id: text,
  /** Counts the writes of this item. Every write is conditional on the `rev` that was read. */
  rev: integer,
  /** The highest `rev` of the game that a writer of this player had read. An older copy of the game is read again. */
  seen: integer,
  shard: integer,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  /** Whether the player has proved that they read what is sent to `email`. Stored only if it is true. */
  email_confirmed: optionalTrue,
  /** The address that will replace a confirmed one when it is confirmed. */
  pending_email: optionalText,
  is_admin: boolean,
  is_moderator: falseByDefault,
  state: State,
  /** Removed when the player becomes a zombie. A killed human keeps it, so that it is known as the code of a corpse. */
  tag_code: nullableText,
  code_since: nullableText,
  kills: integer,
  last_kill_at: nullableText,
  /** The infection of a zombie, or of a corpse or spectator who was one; `null` for a human. */
  infection_id: nullableText,
  /** The time of the last infection; a cure does not remove it. */
  infected_at: nullableText,
  infected_by: nullableText,
  /** For a zombie whom a hidden original zombie infected: since when the hunter was an original zombie. */
  infected_by_original_since: nullTextByDefault,
  /** What others see of a hidden original zombie; `null` for a player who never was one. */
  cover: z._default(z.nullable(Cover), null),
  /** Whether the player wants to be an original zombie. */
  wants_original: falseByDefault,
  /** Whether the player is named in past seasons. Absent for no. */
  named_in_past: optionalBoolean,
  last_fed_at: nullableText,
  deadline: nullableNumber,
  epoch: nullableInteger,
  checkpoint_id: nullableText,
  passed_at: nullableText,
  has_pfp: boolean,
  /** The hash in the picture's address; `null` without a picture, and for a picture that an earlier version stored. */
  picture_hash: nullTextByDefault,
  created_at: text,
  /** The times of the latest reports of unknown tag codes. */
  misses: textList,
  /** The push kinds that are switched on; `null` for all, including those that later versions add. */
  push_kinds: z._default(z.nullable(textList), null),
  /** The optional mails that are switched on; `null` or absent for all, including those that later versions add. */
  mail_kinds: z.optional(z.nullable(textList)),
  /** When the player last turned push off on all devices at once. Each device then ends its own subscription. */
  push_off_at: optionalText,
  /** The feedings, for voids. The latest of their deadlines is `deadline`. Empty if no feeding can be taken back. */
  meals: z._default(z.array(Feeding), []),
  /** The latest kills, newest first. */
  latest_kills: z._default(z.array(Kill), []),
  /** The aliases that the player has given up in this season, newest first. Nobody else may take them. */
  former_aliases: noTextsByDefault,
  /** The hashes of the e-mail addresses that the player has given up in this season, newest first. */
  former_addresses: noTextsByDefault,
  /** Of a spectator who cannot start to play: one of {@link HELD}. */
  held: optionalText,
  /** The version of the waiver that the player has signed. */
  signed: optionalText,
  /** What a pending spectator waits for besides a game master: one of `WAITS`. */
  waits: optionalText,
  /** What game masters have to decide about the player, who waits for it if they are new. Never shown to the player. */
  review: z.optional(z.array(ReviewReason)),
  /** Of a spectator: when they learned, as a game master, what players may not know (decision 90), RFC 3339. */
  saw_secrets_at: optionalText,
  /** Whether the zombie has reported the tag that began this life; the hunter may not be known yet. */
  reported: optionalBoolean,
  /** How often the player has come back after deleting the account during play. */
  returns: optionalInteger,
  /** When the player last changed their alias, RFC 3339. */
  renamed_at: nullTextByDefault,
  /** When a moderator or game master got that role, RFC 3339. */
  appointed_at: optionalText,
  /** Since when a human has survived in this life, RFC 3339; `null` for players whom an earlier version made human. */
  human_since: nullTextByDefault,
  /** The game masters' labels, in alphabetical order, and their note. Neither is ever shown to the player. */
  labels: noTextsByDefault,
  note: nullTextByDefault,
  /** The state before the last enforcement of a checkpoint that killed the player or made them a zombie. */
  before_checkpoint: z.optional(BeforeCheckpoint),
  /** The points of this season, from codes and missions. */
  points: zeroByDefault,
  badges: z._default(z.array(OwnBadge), []),
  /** The id of the interaction that records the player's antidote of this season; `null` if they had none. */
  antidote: nullTextByDefault,
});

export type StoredPlayer = z.infer<typeof StoredPlayer>;

type Field<S extends State> = (typeof STATES)[S]["fields"][number];

/** A player or an index entry by state: those fields of `T` that the state needs are not `null`. */
type ByState<T> = {
  [S in State]: T & { state: S } & { [F in Field<S> & keyof T]: NonNullable<T[F]> };
};

/** A player or an index entry, as a union that is discriminated by `state`. */
export type WithState<T> = ByState<T>[State];

export type PlayerIn<S extends State> = ByState<StoredPlayer>[S];
export type Player = PlayerIn<State>;
export type Human = PlayerIn<"human">;
export type Zombie = PlayerIn<"zombie">;

type PartOfPlayer = Pick<StoredPlayer, "state"> & { [F in Field<State>]?: unknown };

/** The fields that are `null` although the player's state needs them. */
export const missingFields = (stored: PartOfPlayer): Field<State>[] => {
  const fields: readonly Field<State>[] = STATES[stored.state].fields;
  return fields.filter((field) => stored[field] === null);
};

const isComplete = <T extends PartOfPlayer>(stored: T): stored is T & WithState<T> =>
  missingFields(stored).length === 0;

/**
 * Types a stored player or index entry by its state. One that lacks a field which its state needs is read as a corpse.
 * The service writes no such item, but a game master's SQL can, for example by setting only `state` to `zombie`. An
 * error would make every list with the player unreadable, and a zombie without a deadline would never starve. A corpse
 * takes no part in the game, and reviving it writes a complete item. `npm run recount` reports such players.
 */
export const readState = <T extends PartOfPlayer>(stored: T): WithState<T> =>
  isComplete(stored) ? stored : { ...stored, state: "corpse" };

/** The deadline of a zombie and its feedings. */
export type FeedingState = Pick<Zombie, "deadline" | "epoch" | "last_fed_at" | "meals">;

/** The fields that determine the current state of a player. */
type StateFields = WithState<Pick<StoredPlayer, "state" | "deadline" | "epoch">>;

/**
 * When a zombie starved, in milliseconds since 1970.
 * @returns `null` for a living zombie, and for players who are not stored as zombies
 */
export const starvation = (player: StateFields, game: Game, now: number): number | null =>
  player.state === "zombie" ? starvedAt(game, player, now) : null;

/** The state of a player now. A zombie past its deadline is a corpse, even before a sweep has recorded it. */
export const stateOf = (player: StateFields, game: Game, now: number): State =>
  starvation(player, game, now) === null ? player.state : "corpse";

/** The player as a zombie that has not starved. @returns `null` for any other player */
export const livingZombie = (player: Player, game: Game, now: number): Zombie | null =>
  player.state === "zombie" && starvation(player, game, now) === null ? player : null;

/** Why a spectator cannot start to play: a game master has to admit them first, or has taken them out of play. */
export const HELD = { pending: "pending", withdrawn: "withdrawn" } as const;

/** Whether a player has registered and waits for a game master to admit them. */
export const isPending = ({ state, held }: Pick<StoredPlayer, "state" | "held">): boolean =>
  state === "spectator" && held === HELD.pending;

/** Whether game masters have to decide about a newcomer, whom no command on many players lets play. */
export const needsDecision = (player: Pick<StoredPlayer, "state" | "held" | "review">): boolean =>
  isPending(player) && (player.review ?? []).length > 0;

/** The roles of accounts. A game master is an administrator. */
export const ROLES = ["player", "moderator", "game_master"] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export const roleOf = ({ is_admin, is_moderator }: Pick<StoredPlayer, "is_admin" | "is_moderator">): Role =>
  is_admin ? "game_master" : is_moderator ? "moderator" : "player";

/** The data of a new player, as registered or imported. */
export interface Newcomer {
  alias: string;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  wants_original?: boolean | undefined;
  /** Only of a player whom game masters import. */
  labels?: readonly string[] | undefined;
}

/** The game fields of a player who has never played. */
export const INITIAL_PLAY_STATE = {
  state: "spectator",
  tag_code: null,
  code_since: null,
  human_since: null,
  kills: 0,
  last_kill_at: null,
  infection_id: null,
  infected_at: null,
  infected_by: null,
  infected_by_original_since: null,
  cover: null,
  last_fed_at: null,
  deadline: null,
  epoch: null,
  checkpoint_id: null,
  passed_at: null,
  misses: [],
  meals: [],
  latest_kills: [],
  former_aliases: [],
  former_addresses: [],
  points: 0,
  badges: [],
  antidote: null,
} satisfies Partial<StoredPlayer>;

/** A new account that does not play yet. */
export const newSpectator = (
  id: string,
  shard: number,
  newcomer: Newcomer,
  createdAt: string,
): PlayerIn<"spectator"> => ({
  ...INITIAL_PLAY_STATE,
  player_id: id,
  rev: 0,
  seen: 0,
  shard,
  alias: newcomer.alias,
  first_name: newcomer.first_name ?? null,
  last_name: newcomer.last_name ?? null,
  email: newcomer.email ?? null,
  is_admin: false,
  is_moderator: false,
  has_pfp: false,
  picture_hash: null,
  created_at: createdAt,
  renamed_at: null,
  push_kinds: null,
  wants_original: newcomer.wants_original ?? false,
  labels: [...(newcomer.labels ?? [])],
  note: null,
});
