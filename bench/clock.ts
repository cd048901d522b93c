/** Measures the game clock with play hours for a season: game time, and the instant of a deadline. */
import { type Game, gameTime, NEW_GAME, setSchedule, wallDeadline } from "../lib/domain/clock.ts";
import { type PlayHours, type Schedule, WEEKDAYS } from "../lib/domain/schedule.ts";
import { DAY } from "../lib/domain/time.ts";
import { formatSpread, median } from "./support/numbers.ts";
import { atMost, report } from "./support/report.ts";

const SEASON_DAYS = 300;
const MAX_MICROSECONDS = 5;

const HOURS: PlayHours = Object.fromEntries(
  WEEKDAYS.map((day): [string, [string, string][]] => [
    day,
    [
      ["08:00", "12:00"],
      ["13:30", "22:00"],
    ],
  ]),
);

/** A season across both changes of daylight saving time. */
const newGame = (since: number): Game => {
  const schedule: Schedule = {
    ...{ since, time_zone: "America/New_York", play_hours: HOURS },
    ...{ starts_at: since + DAY, ends_at: since + SEASON_DAYS * DAY },
  };
  return setSchedule(NEW_GAME, schedule, since);
};

/**
 * Measures, prints, and writes bench/results/clock.json.
 * @param quick whether one round is enough
 * @returns true: times never fail a bench
 */
export const clockBench = async (quick: boolean): Promise<boolean> => {
  const since = Date.UTC(2026, 8, 1);
  const [game, calls] = [newGame(since), 100_000];
  const instant = (n: number): number => since + ((n * 7_919) % SEASON_DAYS) * DAY + n;
  const subjects: Record<string, (n: number) => number | null> = {
    "game time": (n) => gameTime(game, instant(n)),
    "instant of a deadline": (n) => wallDeadline(game, since + (n % 90) * DAY, instant(n)),
  };
  const beginning = performance.now();
  gameTime(game, since + SEASON_DAYS * DAY);
  const first = performance.now() - beginning;
  const results = Object.entries(subjects).map(([what, run]) => {
    const rounds = Array.from({ length: quick ? 1 : 7 }, () => {
      const started = performance.now();
      for (let n = 0; n < calls; n += 1) run(n);
      return ((performance.now() - started) / calls) * 1_000;
    });
    return { what, rounds };
  });
  const [time, deadline] = results.map(({ rounds }) => median(rounds));
  await report({
    name: "clock",
    quick,
    what: `the game clock with play hours for ${SEASON_DAYS} days; the windows of play take ${first.toFixed(1)} ms once`,
    tables: [results.map(({ what, rounds }) => ({ what, µs: formatSpread(rounds, 3) }))],
    targets: [
      atMost("game time, µs", time ?? Number.NaN, MAX_MICROSECONDS),
      atMost("instant of a deadline, µs", deadline ?? Number.NaN, MAX_MICROSECONDS),
    ],
  });
  return true;
};
