/** The game clock with a schedule, compared with a simple clock that is moved minute by minute. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  addDayToClock,
  dropSnapshots,
  type FeedingDeadline,
  feedingDeadlineFrom,
  gameTimeLeft,
  latestPossiblyStarved,
  pauseClock,
  resumeClock,
  setSchedule,
  starvedAt,
  wallDeadline,
} from "../../lib/domain/game/clock.ts";
import { type Game, NEW_GAME } from "../../lib/domain/game/game.ts";
import { type PlayHours, type Schedule, WEEKDAYS } from "../../lib/domain/game/schedule.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { part } from "../support/battery.ts";
import { schedule } from "../support/schedules.ts";

/** Changes of daylight saving time, by half an hour and two hours too, and a zone whose rules follow Ramadan. */
const CHANGES = [
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2027-03-14"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["America/St_Johns", "2026-11-01"],
  ["Africa/Casablanca", "2027-02-07"],
  ["Antarctica/Troll", "2027-03-28"],
] as const;

const pad = (number: number): string => String(number).padStart(2, "0");
const clockTime = (minutes: number): string => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;

/** Up to two ranges a day, on any days. */
const ranges = fc.uniqueArray(fc.nat(24 * 60), { maxLength: 4 }).map((times) => {
  const changes = times.toSorted((one, other) => one - other).map(clockTime);
  return chunk(changes, 2).flatMap(([opens = "", closes]): [string, string][] =>
    closes === undefined ? [] : [[opens, closes]],
  );
});
const playHours: fc.Arbitrary<PlayHours> = fc.record(
  Object.fromEntries(WEEKDAYS.map((day) => [day, ranges])),
);

/** A zombie with its time left by the simple clock, in minutes. */
interface Zombie {
  hunger: FeedingDeadline;
  left: number;
  diedAt: number | null;
}

/** A game whose clock is moved by the minute. */
class HandClock {
  game: Game = NEW_GAME;
  zombies: Zombie[] = [];
  readonly #format: Intl.DateTimeFormat;
  now: number;

  constructor(now: number, timeZone: string) {
    this.now = now;
    this.#format = new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    });
  }

  /** Whether the game is played in the minute that begins at an instant. */
  isPlayedAt(instant: number): boolean {
    const { since = 0, starts_at, ends_at, play_hours } = this.game.schedule ?? {};
    if (play_hours === undefined || instant < since) return true;
    if (instant < (starts_at ?? 0) || instant >= (ends_at ?? Number.POSITIVE_INFINITY)) return false;
    if (play_hours === null) return true;
    // As `Mon 08:30`, local time.
    const [day = "", time = ""] = this.#format.format(instant).split(" ");
    const weekday = WEEKDAYS.find((name) => name.startsWith(day.toLowerCase())) ?? "sunday";
    return (play_hours[weekday] ?? []).some(([opens, closes]) => opens <= time && time < closes);
  }

  get living(): Zombie[] {
    return this.zombies.filter(({ diedAt }) => diedAt === null);
  }

  pass(minutes: number): void {
    for (let n = 0; n < minutes; n += 1) {
      const counts = this.game.paused_at === null && this.isPlayedAt(this.now);
      this.now += MINUTE;
      if (!counts) continue;
      for (const zombie of this.living) {
        zombie.left -= 1;
        if (zombie.left === 0) zombie.diedAt = this.now;
      }
    }
  }

  infect(minutes: number): void {
    const hunger = feedingDeadlineFrom(this.game, this.now, minutes * MINUTE);
    this.zombies.push({ hunger, left: minutes, diedAt: null });
  }

  addDay(): void {
    let minutes = 0;
    for (let at = this.now; at < this.now + DAY; at += MINUTE) minutes += this.isPlayedAt(at) ? 1 : 0;
    for (const zombie of this.living) zombie.left += minutes;
    this.game = addDayToClock(this.game, this.now);
  }

  /** Records all deaths, and drops the snapshots that are no longer needed. */
  sweep(): void {
    this.zombies = this.living;
    this.game = dropSnapshots(this.game, this.now);
  }

  check(explain: string): void {
    const { game, now } = this;
    for (const { hunger, left, diedAt } of this.zombies) {
      expect(starvedAt(game, hunger, now), explain).toBe(diedAt);
      if (diedAt === null) expect(gameTimeLeft(game, hunger.deadline, now), explain).toBe(left * MINUTE);
      else expect(hunger.deadline, explain).toBeLessThanOrEqual(latestPossiblyStarved(game, now));
    }
  }
}

const step = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(90), fc.nat(30 * 60)),
  action: fc.constantFrom("infect", "infect", "pause", "resume", "addDay", "schedule", "schedule", "sweep"),
  number: fc.nat(40 * 60),
  hours: fc.option(playHours, { freq: 4 }),
  start: fc.option(fc.nat(20 * 60), { freq: 1 }),
  end: fc.option(fc.integer({ min: 24 * 60, max: 9 * 24 * 60 }), { freq: 1 }),
});

const schedules = part("time", { full: 5_000, of: "schedules" });
const each = Math.ceil(schedules.cases / CHANGES.length);

it.each(CHANGES)(
  "lets zombies starve by the minute in %s around %s, whatever changes the clock",
  (zone, date) => {
    const begin = Date.parse(`${date}T00:00:00Z`) - 3 * DAY;
    const holds = fc.property(fc.array(step, { minLength: 3, maxLength: 10 }), (steps) => {
      const clock = new HandClock(begin, zone);
      const history: string[] = [];
      for (const { wait, action, number, hours, start, end } of steps) {
        clock.pass(wait);
        const { now, game } = clock;
        history.push(`${rfc3339(now)} ${action}`);
        if (action === "infect") clock.infect(1 + number);
        else if (action === "addDay") clock.addDay();
        else if (action === "sweep") clock.sweep();
        else if (action === "pause") clock.game = pauseClock(game, now);
        else if (action === "resume") clock.game = resumeClock(game, now);
        else {
          const limits = { starts_at: start && now + start * MINUTE, ends_at: end && now + end * MINUTE };
          const next: Schedule = schedule({ since: now, time_zone: zone, play_hours: hours, ...limits });
          clock.game = setSchedule(game, next, now);
        }
        clock.check(history.join(", "));
      }
      clock.game = resumeClock(clock.game, clock.now);
      const predicted = clock.zombies.map(({ hunger, diedAt }) =>
        diedAt === null ? wallDeadline(clock.game, hunger.deadline, clock.now) : diedAt,
      );
      const until = clock.now + 4 * DAY;
      clock.pass((4 * DAY) / MINUTE);
      clock.check(history.join(", "));
      for (const [at, { diedAt }] of clock.zombies.entries()) {
        const expected = predicted[at] ?? Number.POSITIVE_INFINITY;
        expect(diedAt, history.join(", ")).toBe(expected <= until ? expected : null);
      }
      schedules.ran();
    });
    fc.assert(holds, { numRuns: each, seed: schedules.seed });
  },
);

it("shows no deadline for a zombie that outlives the game", () => {
  const game = setSchedule(NEW_GAME, schedule({ since: 0, ends_at: DAY }), 0);
  expect(wallDeadline(game, DAY, HOUR)).toBe(DAY);
  expect(wallDeadline(game, DAY + 1, HOUR)).toBeNull();
  expect(starvedAt(game, { deadline: DAY + 1, epoch: game.epoch }, 90 * DAY)).toBeNull();
});
