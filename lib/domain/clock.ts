/**
 * The game clock. Deadlines are kept in game time, which stands still while the game is paused and is set
 * back by a day when a day is added: so both are one write, however many zombies there are.
 *
 *     game time = (paused_at, or now) - offset          deadline on the wall clock = deadline + offset
 *
 * Each change that moves the offset closes a stretch of game time, a cut: it remembers where game time stood
 * and which offset was in force. A zombie whose deadline was reached in such a stretch has starved there, for
 * good, also when the clock was set back afterwards. `epoch` counts the cuts; a deadline is stored with the
 * epoch in which it was set, so that older cuts do not touch it.
 */
import * as z from "zod/mini";
import { integer, nullableNumber, nullableText, number, text } from "./schemas.ts";
import { DAY } from "./time.ts";

/** All in milliseconds: `at` of game time, `offset` the one that ended, `made_at` on the wall clock. */
const Cut = z.looseObject({ epoch: integer, at: number, offset: number, made_at: number });

/** Where and for whom the checkpoint is that players must pass. */
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

/** The state of the whole game: its clock, its current checkpoint, how many shards its lists have. */
export const Game = z.looseObject({
  /** Counts the writes of this item; players remember the one that their last writer had read. */
  rev: integer,
  shards: z.int().check(z.positive()),
  offset: number,
  paused_at: nullableNumber,
  epoch: integer,
  cuts: z.array(Cut),
  /** The last pause, resume or added day. */
  changed_at: nullableNumber,
  checkpoint: z.nullable(Checkpoint),
  /** The job that is killing those who missed the checkpoint, while it does. */
  enforcing: z._default(nullableText, null),
});

export type Game = z.infer<typeof Game>;

/** The game before anything has happened to it. */
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

/** What a zombie lives by: when it must have fed, in game time, and the epoch in which that was set. */
export interface Hunger {
  deadline: number;
  epoch: number;
}

/** Game time, in milliseconds, at an instant that is not before the clock's last change. */
export const gameTime = (game: Game, instant: number): number => (game.paused_at ?? instant) - game.offset;

/** The hunger of a zombie that feeds, or is infected, at `instant`; `period` in milliseconds. */
export const hungerFrom = (game: Game, instant: number, period: number): Hunger => ({
  deadline: gameTime(game, instant) + period,
  epoch: game.epoch,
});

/**
 * When a zombie starved, as an instant on the wall clock.
 * @returns its deadline as it stood when game time reached it, or `null` while the zombie lives
 */
export const starvedAt = (game: Game, hunger: Hunger, now: number): number | null => {
  const cut = game.cuts.find(({ epoch, at }) => epoch > hunger.epoch && hunger.deadline <= at);
  if (cut !== undefined) return hunger.deadline + cut.offset;
  return hunger.deadline <= gameTime(game, now) ? hunger.deadline + game.offset : null;
};

/** Milliseconds of game time that a living zombie has left. */
export const timeLeft = (game: Game, deadline: number, now: number): number => deadline - gameTime(game, now);

/** The deadline on the wall clock; while the game is paused, as if it went on now. */
export const wallDeadline = (game: Game, deadline: number, now: number): number =>
  now + timeLeft(game, deadline, now);

/** Every deadline up to this game time may be one that has passed; no later one can be. */
export const latestPossiblyStarved = (game: Game, now: number): number =>
  Math.max(gameTime(game, now), ...game.cuts.map(({ at }) => at));

const close = (game: Game, now: number): Pick<Game, "epoch" | "cuts"> => {
  const epoch = game.epoch + 1;
  const cut = { epoch, at: gameTime(game, now), offset: game.offset, made_at: now };
  return { epoch, cuts: [...game.cuts, cut] };
};

/** The clock stopped; unchanged when it stands already. */
export const pauseClock = (game: Game, now: number): Game =>
  game.paused_at === null ? { ...game, paused_at: now, changed_at: now } : game;

/** The clock going again, every deadline later by the length of the pause; unchanged when it goes already. */
export const resumeClock = (game: Game, now: number): Game =>
  game.paused_at === null
    ? game
    : {
        ...game,
        ...close(game, now),
        offset: game.offset + Math.max(0, now - game.paused_at),
        paused_at: null,
        changed_at: now,
      };

/**
 * The clock as if the game had been paused in the past, for a time in which nobody could play: who starved meanwhile
 * lives, and has as much time left as then. What game masters did to the clock since stands, so that the pause begins
 * after that.
 * @param from when it would have been paused, in milliseconds since 1970
 * @param now until when; a game that is paused stays so
 */
export const pauseSince = (game: Game, from: number, now: number): Game => {
  const begin = Math.min(now, Math.max(from, ...game.cuts.map(({ made_at }) => made_at)));
  if (game.paused_at === null) return resumeClock(pauseClock(game, begin), now);
  return begin < game.paused_at ? { ...game, paused_at: begin } : game;
};

/** Every deadline later by a day; those already due stay due. */
export const addDayToClock = (game: Game, now: number): Game => ({
  ...game,
  ...close(game, now),
  offset: game.offset + DAY,
  changed_at: now,
});

/**
 * Drops the cuts that no zombie can depend on any more.
 * @param before cuts made at or before this instant have been swept to the end since
 */
export const dropCuts = (game: Game, before: number): Game => ({
  ...game,
  cuts: game.cuts.filter(({ made_at }) => made_at > before),
});
