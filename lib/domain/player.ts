/** Players: their data and their state in the game. */
import * as z from "zod/mini";
import { type Game, starvedAt } from "./clock.ts";
import {
  boolean,
  integer,
  nullableInteger,
  nullableNumber,
  nullableText,
  number,
  text,
  textList,
} from "./schemas.ts";

/** The states of players. A `spectator` has an account and does not play. */
export const STATES = ["human", "zombie", "corpse", "spectator"] as const;

export const State = z.enum(STATES);
export type State = z.infer<typeof State>;

/**
 * A feeding of a zombie. `hunt` is the id of the hunt that fed it, or `null` for the feedings that cannot be voided.
 * `deadline` is in milliseconds of game time; `at` is RFC 3339.
 */
const Feeding = z.looseObject({ hunt: nullableText, deadline: number, epoch: integer, at: nullableText });
export type Feeding = z.infer<typeof Feeding>;

/** A kill: the id of the hunt, and the time of the tag, RFC 3339. */
const Kill = z.looseObject({ hunt: text, at: text });
export type Kill = z.infer<typeof Kill>;

/**
 * A player as stored. A loose object, so that fields of a newer version survive a write by an older one.
 * Times are RFC 3339, `deadline` is milliseconds of game time.
 */
export const Player = z.looseObject({
  player_id: text,
  /** Counts the writes of this item. Every write is conditional on the `rev` that was read. */
  rev: integer,
  /** The newest `rev` of the game that a writer of this player had read. */
  seen: integer,
  shard: integer,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  is_admin: boolean,
  state: State,
  /** Removed when the player is tagged. A human who is killed keeps it, so that the code is known to belong to a corpse. */
  tag_code: nullableText,
  code_since: nullableText,
  kills: integer,
  last_kill_at: nullableText,
  /** The infection of a zombie, or of a corpse that was a zombie; `null` for a human. */
  infection_id: nullableText,
  /** The time of the last infection, also after a cure. */
  infected_at: nullableText,
  infected_by: nullableText,
  last_fed_at: nullableText,
  deadline: nullableNumber,
  epoch: nullableInteger,
  checkpoint_id: nullableText,
  passed_at: nullableText,
  has_pfp: boolean,
  created_at: text,
  /** The times of the latest reports of unknown tag codes. */
  misses: textList,
  /** The push kinds that are switched on; `null` for all, including those of later versions. */
  push_kinds: z._default(z.nullable(textList), null),
  /**
   * The feedings, so that a hunt can be voided. The deadline is the latest of theirs. Empty if no hunt can be voided.
   */
  meals: z._default(z.array(Feeding), []),
  /** The latest kills, newest first. */
  latest_kills: z._default(z.array(Kill), []),
});

export type Player = z.infer<typeof Player>;

/** The deadline of a zombie and its feedings. */
export type FeedingState = Pick<Player, "deadline" | "epoch" | "last_fed_at" | "meals">;

type StarvationFields = Pick<Player, "state" | "deadline" | "epoch">;

/**
 * When a zombie starved, in milliseconds since 1970.
 * @returns `null` for a living zombie, and for players who are not stored as zombies
 */
export const starvation = (player: StarvationFields, game: Game, now: number): number | null =>
  player.state === "zombie" && player.deadline !== null && player.epoch !== null
    ? starvedAt(game, { deadline: player.deadline, epoch: player.epoch }, now)
    : null;

/** The state of a player now. A zombie past its deadline is a corpse, also before a sweep has recorded it. */
export const stateOf = (player: StarvationFields, game: Game, now: number): State =>
  starvation(player, game, now) === null ? player.state : "corpse";

/** The data that a new player provides. */
export interface Newcomer {
  alias: string;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
}

/** The game fields of a player who has never played. */
export const INITIAL_PLAY_STATE = {
  state: "spectator",
  tag_code: null,
  code_since: null,
  kills: 0,
  last_kill_at: null,
  infection_id: null,
  infected_at: null,
  infected_by: null,
  last_fed_at: null,
  deadline: null,
  epoch: null,
  checkpoint_id: null,
  passed_at: null,
  misses: [],
  meals: [],
  latest_kills: [],
} satisfies Partial<Player>;

/** A new account that does not play yet. */
export const newSpectator = (id: string, shard: number, newcomer: Newcomer, createdAt: string): Player => ({
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
  has_pfp: false,
  created_at: createdAt,
  push_kinds: null,
});
