/**
 * The game clock. Deadlines are stored in game time: play time, which passes only during the play hours of the schedule,
 * stops while the game is paused, and is set back when a day is added. So none of these rewrites a stored deadline: a pause
 * or an added day is one write, and nights, the start and the end of the game need none.
 *
 *     game time = play time at (paused_at, or now) - offset
 *     deadline on the wall clock = the first instant at which play time is (deadline + offset)
 *
 * Without a schedule, play time is the wall clock in milliseconds.
 *
 * Each change of the offset or the schedule adds a snapshot, stored in `cuts`: the game time, the offset and the schedule
 * just before the change. A zombie whose deadline was reached by then has starved, even if the clock was set back afterwards.
 * `epoch` counts the snapshots. A deadline is stored with the epoch in which it was set, so that older snapshots do not
 * apply to it.
 */
import * as z from "zod/mini";
import { instantAtPlayTime, isPlayTime, playTime, Schedule } from "./schedule.ts";
import { integer, nullableNumber, nullableText, number, text } from "./schemas.ts";
import { DEFAULT_SETTINGS, Settings } from "./settings.ts";
import { DAY } from "./time.ts";

/** The clock before a change, in milliseconds: `at` in game time, `made_at` on the wall clock; `offset` and `schedule` before the change. */
const ClockSnapshot = z.looseObject({
  epoch: integer,
  at: number,
  offset: number,
  made_at: number,
  schedule: z.optional(Schedule),
});

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
  /** When its enforcement was first started. It does not apply to players who join after that. */
  enforced_at: z._default(nullableText, null),
  /** When its latest enforcement was undone. */
  undone_at: z._default(nullableText, null),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The state of the game: its clock, settings and checkpoint, and the number of shards of its lists. */
export const Game = z.looseObject({
  /**
   * Counts the writes of this item. Each player stores as `seen` the highest `rev` that was known to a command when it wrote the
   * player, so that a stale read of the game is noticed (decision 2).
   */
  rev: integer,
  shards: z.int().check(z.positive()),
  offset: number,
  paused_at: nullableNumber,
  epoch: integer,
  cuts: z.array(ClockSnapshot),
  /** The instant of the last pause, resume, added day or change of the schedule. */
  changed_at: nullableNumber,
  schedule: z._default(z.nullable(Schedule), null),
  settings: z._default(Settings, DEFAULT_SETTINGS),
  /** Counts the changes of settings and texts. */
  settings_version: z._default(integer, 0),
  /** The latest pauses, as instants, so that a hunt dated during a pause is rejected. */
  pauses: z._default(z.array(z.looseObject({ from: number, until: number })), []),
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
  schedule: null,
  settings: DEFAULT_SETTINGS,
  settings_version: 0,
  pauses: [],
  checkpoint: null,
  enforcing: null,
};

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

/** Resumes the clock: every deadline on the wall clock moves by the play time of the pause. Returns a running game unchanged. */
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
 * Pauses the game retroactively, for a time in which nobody could play. Zombies that starved in that time live again, with
 * as much time left as they had. The pause does not start before the last change that game masters made to the clock.
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

/** Moves every deadline on the wall clock later by the play time of the next 24 hours. Deadlines that have passed stay passed. */
export const addDayToClock = (game: Game, now: number): Game => ({
  ...game,
  ...withSnapshot(game, now),
  offset: game.offset + playTimeOfNextDay(game, now),
  changed_at: now,
});

/** Sets when the game is played. Game time is the same before and after, so every zombie keeps the time that it has left. */
export const setSchedule = (game: Game, schedule: Schedule, now: number): Game => {
  const offset = playTime(schedule, game.paused_at ?? now) - gameTime(game, now);
  return { ...game, ...withSnapshot(game, now), offset, schedule, changed_at: now };
};

/** The phases of a game. `registration` lasts until the start; a schedule without a start has no such phase. */
export const PHASES = ["registration", "running", "paused", "ended"] as const;
export type Phase = (typeof PHASES)[number];

/** The phase of the game. Nights are part of `running`. */
export const phaseOf = ({ schedule, paused_at }: Game, now: number): Phase => {
  if (schedule?.ends_at != null && now >= schedule.ends_at) return "ended";
  if (schedule?.starts_at != null && now < schedule.starts_at) return "registration";
  return paused_at === null ? "running" : "paused";
};

/**
 * Drops the snapshots that no zombie depends on any more.
 * @param upTo an instant after which a complete sweep has run; snapshots made until then are dropped
 */
export const dropSnapshots = (game: Game, upTo: number): Game => ({
  ...game,
  cuts: game.cuts.filter(({ made_at }) => made_at > upTo),
});

/** Whether the game is, or was, in play at an instant that is not in the future: hunts count and game time runs. */
export const isInPlay = ({ schedule, paused_at, pauses }: Game, instant: number): boolean =>
  isPlayTime(schedule, instant) &&
  (paused_at === null || instant < paused_at) &&
  !pauses.some(({ from, until }) => from <= instant && instant < until);

/** Seconds of game time until a deadline, rounded down. */
export const secondsLeft = (game: Game, deadline: number, now: number): number =>
  Math.floor((deadline - gameTime(game, now)) / 1000);
