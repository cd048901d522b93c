/** A player: who they are, and what they are in the game. */
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

/** The states of a player in play, and `spectator` for an account that is not (contract, "Words"). */
export const STATES = ["human", "zombie", "corpse", "spectator"] as const;

export const State = z.enum(STATES);
export type State = z.infer<typeof State>;

/**
 * A feeding that a zombie lives by: a hunt's, by its id, or with `null` all that cannot be taken back. `deadline` is
 * what it asked for, in milliseconds of game time; `at` when it happened, RFC 3339.
 */
const Feeding = z.looseObject({ hunt: nullableText, deadline: number, epoch: integer, at: nullableText });
export type Feeding = z.infer<typeof Feeding>;

/** A kill by the hunt that it was, and when the tag happened, RFC 3339. */
const Kill = z.looseObject({ hunt: text, at: text });
export type Kill = z.infer<typeof Kill>;

/**
 * A player as stored. Loose, so that a field of a newer version survives a rewrite by an older one.
 * Times are RFC 3339, `deadline` is milliseconds of game time.
 */
export const Player = z.looseObject({
  player_id: text,
  /** Counts the writes of this item; every write is conditional on the one that was read. */
  rev: integer,
  /** `rev` of the newest game that any writer of this player had read. */
  seen: integer,
  shard: integer,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  is_admin: boolean,
  state: State,
  /** The code given up when tagged; one who died a human keeps it, so that it is known to be dead. */
  tag_code: nullableText,
  code_since: nullableText,
  kills: integer,
  last_kill_at: nullableText,
  /** The current life as a zombie, or the one that a corpse died of; none for a human. */
  infection_id: nullableText,
  /** The last infection, also of one who was cured. */
  infected_at: nullableText,
  infected_by: nullableText,
  last_fed_at: nullableText,
  deadline: nullableNumber,
  epoch: nullableInteger,
  checkpoint_id: nullableText,
  passed_at: nullableText,
  has_pfp: boolean,
  created_at: text,
  /** When this player last named tag codes that do not exist. */
  misses: textList,
  /** The kinds of push that the player has left on; all of them when `null`, those of later versions too. */
  push_kinds: z._default(z.nullable(textList), null),
  /** What the deadline is the latest of, so that a hunt can be taken back; none while nothing can be. */
  meals: z._default(z.array(Feeding), []),
  /** The latest kills, newest first: as many as are remembered. */
  latest_kills: z._default(z.array(Kill), []),
});

export type Player = z.infer<typeof Player>;

/** What a zombie lives by. */
export type FeedingState = Pick<Player, "deadline" | "epoch" | "last_fed_at" | "meals">;

type Mortal = Pick<Player, "state" | "deadline" | "epoch">;

/**
 * When a zombie starved, as an instant.
 * @returns `null` for one who lives, and for anyone who is not stored as a zombie
 */
export const starvation = (player: Mortal, game: Game, now: number): number | null =>
  player.state === "zombie" && player.deadline !== null && player.epoch !== null
    ? starvedAt(game, { deadline: player.deadline, epoch: player.epoch }, now)
    : null;

/** The state of a player now: a zombie past its deadline is a corpse, also before a sweep has recorded it. */
export const stateOf = (player: Mortal, game: Game, now: number): State =>
  starvation(player, game, now) === null ? player.state : "corpse";

/** What a newcomer says of themselves. */
export interface Newcomer {
  alias: string;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
}

/** What the game has made of a player who has never been in play. */
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

/** A new account, not in play yet. */
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
