/**
 * The game clock. Deadlines are stored in game time, which passes only during the play hours of the schedule, stops
 * while the game is paused, and is set back when a day is added. So none of these rewrites a stored deadline: a pause
 * or an added day is one write, and nights, the start and the end of the game need none.
 *
 *     game time = play time at (paused_at, or now) - offset
 *     deadline on the wall clock = the first instant at which play time is (deadline + offset)
 *
 * Without a schedule, play time is the wall clock in milliseconds.
 *
 * Each change of the offset or the schedule adds a snapshot, stored in `cuts`: game time, offset and schedule just
 * before the change. A zombie whose deadline was reached by then has starved, even if the clock was then set back.
 * `epoch` counts the snapshots. A deadline is stored with the epoch in which it was set, so that older snapshots do not
 * apply to it.
 */
import { DAY, HOUR, SECOND } from "../time.ts";
import type { Game } from "./game.ts";
import { instantAtPlayTime, isPlayTime, playTime, type Schedule } from "./schedule.ts";

/** The feeding deadline of a zombie, in milliseconds of game time, and the epoch in which it was set. */
export interface FeedingDeadline {
  deadline: number;
  epoch: number;
}

/** Returns the feeding period of a game, in milliseconds. */
export type FeedingPeriodOf = (game: Game) => number;

/** Game time, in milliseconds, at an instant that is not before the clock's last change. */
export const gameTime = (game: Game, instant: number): number =>
  playTime(game.schedule, game.paused_at ?? instant) - game.offset;

/** The deadline of a zombie that is fed or infected at `instant`; `period` in milliseconds. */
export const feedingDeadlineFrom = (game: Game, instant: number, period: number): FeedingDeadline => ({
  deadline: gameTime(game, instant) + period,
  epoch: game.epoch,
});

/** The deadline that a zombie would have, by the present clock, if it had starved at an instant in the past. */
export const deadlineAt = ({ schedule, offset, epoch }: Game, instant: number): FeedingDeadline => ({
  deadline: playTime(schedule, instant) - offset,
  epoch,
});

/**
 * When a zombie starved, as an instant on the wall clock.
 * @returns the instant at which game time reached the deadline, or `null` while the zombie lives
 */
export const starvedAt = (game: Game, feeding: FeedingDeadline, now: number): number | null => {
  const snapshot = game.cuts.find(({ epoch, at }) => epoch > feeding.epoch && feeding.deadline <= at);
  if (snapshot !== undefined)
    return instantAtPlayTime(snapshot.schedule ?? null, feeding.deadline + snapshot.offset);
  return feeding.deadline <= gameTime(game, now)
    ? instantAtPlayTime(game.schedule, feeding.deadline + game.offset)
    : null;
};

/** Milliseconds of game time that a living zombie has left. */
export const gameTimeLeft = (game: Game, deadline: number, now: number): number =>
  deadline - gameTime(game, now);

/**
 * The deadline on the wall clock; while the game is paused, as if it resumed now.
 * @returns milliseconds since 1970, or `null` if the game ends before the deadline
 */
export const wallDeadline = (game: Game, deadline: number, now: number): number | null =>
  instantAtPlayTime(game.schedule, playTime(game.schedule, now) + gameTimeLeft(game, deadline, now));

/** The latest deadline, in game time, that can have passed. */
export const latestPossiblyStarved = (game: Game, now: number): number =>
  Math.max(gameTime(game, now), ...game.cuts.map(({ at }) => at));

/** How long pauses are stored, in milliseconds. A hunt that is reported later is not checked against them. */
const PAUSE_RETENTION_MS = 14 * DAY;

/** The play time between two instants, in milliseconds; pauses are not subtracted. */
export const playBetween = ({ schedule }: Game, from: number, until: number): number =>
  playTime(schedule, until) - playTime(schedule, from);

const withSnapshot = (game: Game, now: number): Pick<Game, "epoch" | "cuts"> => {
  const epoch = game.epoch + 1;
  const { offset, schedule } = game;
  const snapshot = {
    epoch,
    at: gameTime(game, now),
    offset,
    made_at: now,
    ...(schedule === null ? {} : { schedule }),
  };
  return { epoch, cuts: [...game.cuts, snapshot] };
};

/** Pauses the clock; returns a paused game unchanged. */
export const pauseClock = (game: Game, now: number): Game =>
  game.paused_at === null ? { ...game, paused_at: now, changed_at: now } : game;

/** Resumes the clock: deadlines on the wall clock move by the play time of the pause. A running game is unchanged. */
export const resumeClock = (game: Game, now: number): Game =>
  game.paused_at === null
    ? game
    : {
        ...game,
        ...withSnapshot(game, now),
        offset: game.offset + Math.max(0, playBetween(game, game.paused_at, now)),
        paused_at: null,
        pauses: [
          ...game.pauses.filter(({ until }) => until > now - PAUSE_RETENTION_MS),
          { from: game.paused_at, until: now },
        ],
        changed_at: now,
      };

/**
 * Pauses the game retroactively, for a time in which nobody could play. Zombies that starved in it live again, with as
 * much time left as they had. The pause does not start before the last change that game masters made to the clock.
 * @param from the start of the pause, in milliseconds since 1970
 * @param now the end of the pause; a paused game stays paused
 */
export const pauseSince = (game: Game, from: number, now: number): Game => {
  const beginsAt = Math.min(now, Math.max(from, ...game.cuts.map(({ made_at }) => made_at)));
  if (game.paused_at === null) return resumeClock(pauseClock(game, beginsAt), now);
  return beginsAt < game.paused_at ? { ...game, paused_at: beginsAt } : game;
};

/** The play time of the next 24 hours, in milliseconds. */
export const playTimeOfNextDay = (game: Game, now: number): number => playBetween(game, now, now + DAY);

/** Adds the play time of the next 24 hours to every deadline on the wall clock that has not passed. */
export const addDayToClock = (game: Game, now: number): Game => ({
  ...game,
  ...withSnapshot(game, now),
  offset: game.offset + playTimeOfNextDay(game, now),
  changed_at: now,
});

/** Sets the schedule. Game time is the same before and after, so every zombie keeps the time that it has left. */
export const setSchedule = (game: Game, schedule: Schedule, now: number): Game => {
  const offset = playTime(schedule, game.paused_at ?? now) - gameTime(game, now);
  return { ...game, ...withSnapshot(game, now), offset, schedule, changed_at: now };
};

/** Younger snapshots of the clock are kept, because a command that is still running may depend on them. */
export const SNAPSHOT_RETENTION_MS = HOUR;

/**
 * Drops the snapshots that no zombie depends on any more.
 * @param upTo an instant after which a complete sweep has run; snapshots made until then are dropped
 */
export const dropSnapshots = (game: Game, upTo: number): Game => ({
  ...game,
  cuts: game.cuts.filter(({ made_at }) => made_at > upTo),
});

/**
 * The game with its clock as it was at an instant in the past.
 * @param game with all snapshots since then
 * @param instant in milliseconds since 1970
 */
export const clockAt = (game: Game, instant: number): Game => {
  const cuts = game.cuts.filter(({ made_at }) => made_at <= instant);
  const changed_at = cuts.at(-1)?.made_at ?? null;
  const next = game.cuts.find(({ made_at }) => made_at > instant);
  if (next === undefined) {
    const { paused_at } = game;
    return paused_at !== null && instant < paused_at ? { ...game, paused_at: null, changed_at } : game;
  }
  const { at, offset, epoch, schedule = null } = next;
  // Before the next snapshot, game time stood still from the instant at which it had that snapshot's value.
  const isPaused = playTime(schedule, instant) - offset > at;
  const paused_at = isPaused ? (instantAtPlayTime(schedule, at + offset) ?? instant) : null;
  return {
    ...game,
    cuts,
    changed_at: paused_at ?? changed_at,
    paused_at,
    offset,
    schedule,
    epoch: epoch - 1,
  };
};

/** Whether the game is, or was, in play at an instant that is not in the future: hunts count and game time runs. */
export const isInPlay = ({ schedule, paused_at, pauses }: Game, instant: number): boolean =>
  isPlayTime(schedule, instant) &&
  (paused_at === null || instant < paused_at) &&
  !pauses.some(({ from, until }) => from <= instant && instant < until);

/** Seconds of game time until a deadline, rounded down. */
export const secondsLeft = (game: Game, deadline: number, now: number): number =>
  Math.floor(gameTimeLeft(game, deadline, now) / SECOND);
