/**
 * The game clock. Deadlines are stored in game time, which stops while the game is paused and is set back by a day when
 * a day is added. So a pause or an added day is one write, whatever the number of zombies.
 *
 *     game time = (paused_at, or now) - offset          deadline on the wall clock = deadline + offset
 *
 * Each change of the offset adds a cut: it records the game time and the offset just before the change. A zombie whose
 * deadline was reached by then has starved, also if the clock was set back afterwards. `epoch` counts the cuts. A deadline
 * is stored with the epoch in which it was set, so that older cuts do not apply to it.
 */
import * as z from "zod/mini";
import { integer, nullableNumber, nullableText, number, text } from "./schemas.ts";
import { DAY } from "./time.ts";

/** In milliseconds: `at` in game time, `offset` as it was before, `made_at` on the wall clock. */
const Cut = z.looseObject({ epoch: integer, at: number, offset: number, made_at: number });

/** The checkpoint that players must pass. */
export const Checkpoint = z.looseObject({
  checkpoint_id: text,
  name: text,
  description: nullableText,
  latitude: nullableNumber,
  longitude: nullableNumber,
  closes_at: nullableText,
  applies_to: z.enum(["all", "humans", "zombies"]),
  set_at: text,
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The state of the game: its clock, its current checkpoint, the number of shards of its lists. */
export const Game = z.looseObject({
  /** Counts the writes of this item. Each player stores the newest `rev` that one of their writers had read (`seen`). */
  rev: integer,
  shards: z.int().check(z.positive()),
  offset: number,
  paused_at: nullableNumber,
  epoch: integer,
  cuts: z.array(Cut),
  /** The last pause, resume or added day. */
  changed_at: nullableNumber,
  checkpoint: z.nullable(Checkpoint),
  /** The job that is enforcing the checkpoint. */
  enforcing: z._default(nullableText, null),
});

export type Game = z.infer<typeof Game>;

/** A new game. */
export const NEW_GAME: Game = {
  rev: 0,
  shards: 1,
  offset: 0,
  paused_at: null,
  epoch: 0,
  cuts: [],
  changed_at: null,
  checkpoint: null,
  enforcing: null,
};

/** The deadline of a zombie, in milliseconds of game time, and the epoch in which it was set. */
export interface Hunger {
  deadline: number;
  epoch: number;
}

/** The feeding period of a game, in milliseconds. */
export type FeedingPeriod = (game: Game) => number;

/** Game time, in milliseconds, at an instant that is not before the clock's last change. */
export const gameTime = (game: Game, instant: number): number => (game.paused_at ?? instant) - game.offset;

/** The deadline of a zombie that is fed or infected at `instant`; `period` in milliseconds. */
export const hungerFrom = (game: Game, instant: number, period: number): Hunger => ({
  deadline: gameTime(game, instant) + period,
  epoch: game.epoch,
});

/**
 * When a zombie starved, as an instant on the wall clock.
 * @returns its deadline on the wall clock when game time reached it, or `null` while the zombie lives
 */
export const starvedAt = (game: Game, hunger: Hunger, now: number): number | null => {
  const cut = game.cuts.find(({ epoch, at }) => epoch > hunger.epoch && hunger.deadline <= at);
  if (cut !== undefined) return hunger.deadline + cut.offset;
  return hunger.deadline <= gameTime(game, now) ? hunger.deadline + game.offset : null;
};

/** Milliseconds of game time that a living zombie has left. */
export const timeLeft = (game: Game, deadline: number, now: number): number => deadline - gameTime(game, now);

/** The deadline on the wall clock; while the game is paused, as if it resumed now. */
export const wallDeadline = (game: Game, deadline: number, now: number): number =>
  now + timeLeft(game, deadline, now);

/** The latest deadline, in game time, that can have passed. */
export const latestPossiblyStarved = (game: Game, now: number): number =>
  Math.max(gameTime(game, now), ...game.cuts.map(({ at }) => at));

const withCut = (game: Game, now: number): Pick<Game, "epoch" | "cuts"> => {
  const epoch = game.epoch + 1;
  const cut = { epoch, at: gameTime(game, now), offset: game.offset, made_at: now };
  return { epoch, cuts: [...game.cuts, cut] };
};

/** Pauses the clock; returns a paused game unchanged. */
export const pauseClock = (game: Game, now: number): Game =>
  game.paused_at === null ? { ...game, paused_at: now, changed_at: now } : game;

/** Resumes the clock: every deadline moves by the length of the pause. Returns a running game unchanged. */
export const resumeClock = (game: Game, now: number): Game =>
  game.paused_at === null
    ? game
    : {
        ...game,
        ...withCut(game, now),
        offset: game.offset + Math.max(0, now - game.paused_at),
        paused_at: null,
        changed_at: now,
      };

/**
 * Pauses the game retroactively, for a time in which nobody could play: zombies that starved in that time live again, with
 * as much time left as they had. The pause starts after the last change that game masters made to the clock.
 * @param from the start of the pause, in milliseconds since 1970
 * @param now the end of the pause; a paused game stays paused
 */
export const pauseSince = (game: Game, from: number, now: number): Game => {
  const begin = Math.min(now, Math.max(from, ...game.cuts.map(({ made_at }) => made_at)));
  if (game.paused_at === null) return resumeClock(pauseClock(game, begin), now);
  return begin < game.paused_at ? { ...game, paused_at: begin } : game;
};

/** Adds a day to every deadline. Deadlines that have passed stay passed. */
export const addDayToClock = (game: Game, now: number): Game => ({
  ...game,
  ...withCut(game, now),
  offset: game.offset + DAY,
  changed_at: now,
});

/**
 * Drops the cuts that no zombie depends on any more.
 * @param before a complete sweep has run since the cuts made at or before this instant
 */
export const dropCuts = (game: Game, before: number): Game => ({
  ...game,
  cuts: game.cuts.filter(({ made_at }) => made_at > before),
});
