/** The game clock with a schedule, compared with a simple clock that is moved minute by minute. */
import fc from "fast-check";
import { expect, it } from "vitest";
import * as clock from "../../lib/domain/game/clock.ts";
import { type Game, NEW_GAME } from "../../lib/domain/game/game.ts";
import { type PlayHours, type Schedule, WEEKDAYS } from "../../lib/domain/game/schedule.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { FULL, part } from "../support/battery.ts";
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
  hunger: clock.FeedingDeadline;
  left: number;
  diedAt: number | null;
}

/** A game whose clock is moved by the minute. */
class HandClock {
  game: Game = NEW_GAME;
  zombies: Zombie[] = [];
  /** The snapshots that were dropped, and what the game was at earlier instants. */
  past: Game["cuts"] = [];
  known: { at: number; time: number; isInPlay: boolean }[] = [];
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
    const hunger = clock.feedingDeadlineFrom(this.game, this.now, minutes * MINUTE);
    this.zombies.push({ hunger, left: minutes, diedAt: null });
  }

  addDay(): void {
    let minutes = 0;
    for (let at = this.now; at < this.now + DAY; at += MINUTE) minutes += this.isPlayedAt(at) ? 1 : 0;
    for (const zombie of this.living) zombie.left += minutes;
    this.game = clock.addDayToClock(this.game, this.now);
  }

  /** Pauses the game for a time that has passed, in which nobody should have starved. */
  pauseSince(said: number, from: number, then: readonly Zombie[]): void {
    this.game = clock.pauseSince(this.game, said, this.now);
    this.zombies = [...then];
    const paused = { at: from, time: clock.gameTime(this.game, this.now), isInPlay: false };
    this.known = [...this.known.filter(({ at }) => at < from), ...(from < this.now ? [paused] : [])];
  }

  /** Records all deaths, and drops the snapshots that are no longer needed. */
  sweep(): void {
    this.zombies = this.living;
    this.past.push(...this.game.cuts.filter(({ made_at }) => made_at <= this.now));
    this.game = clock.dropSnapshots(this.game, this.now);
  }

  /** Notes the game of now, and compares that of earlier with what the clock says of then. */
  checkPast(explain: string): void {
    const { game, now, past } = this;
    const known = this.known.filter(({ at }) => at < now);
    const whole = { ...game, cuts: [...past, ...game.cuts] };
    for (const { at, time, isInPlay: wasInPlay } of known) {
      expect(clock.gameTime(clock.clockAt(whole, at), at), explain).toBe(time);
      if (at >= (game.schedule?.since ?? 0)) expect(clock.isInPlay(game, at), explain).toBe(wasInPlay);
    }
    const isNow = game.paused_at === null && this.isPlayedAt(now);
    this.known = [...known, { at: now, time: clock.gameTime(game, now), isInPlay: isNow }];
  }

  check(explain: string): void {
    const { game, now } = this;
    for (const { hunger, left, diedAt } of this.zombies) {
      expect(clock.starvedAt(game, hunger, now), explain).toBe(diedAt);
      if (diedAt === null)
        expect(clock.gameTimeLeft(game, hunger.deadline, now), explain).toBe(left * MINUTE);
      else expect(hunger.deadline, explain).toBeLessThanOrEqual(clock.latestPossiblyStarved(game, now));
    }
  }
}

const step = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(90), fc.nat(30 * 60)),
  action: fc.constantFrom(
    ...["infect", "infect", "pause", "resume", "addDay", "schedule", "schedule", "sweep", "arrears"],
  ),
  number: fc.nat(40 * 60),
  hours: fc.option(playHours, { freq: 4 }),
  start: fc.option(fc.nat(20 * 60), { freq: 1 }),
  end: fc.option(fc.integer({ min: 24 * 60, max: 9 * 24 * 60 }), { freq: 1 }),
});

// A schedule takes milliseconds, so smaller scales run twelve times their share.
const schedules = part("time", { full: FULL ? 5_000 : 60_000, of: "schedules" });
const each = Math.ceil(schedules.cases / CHANGES.length);

it.each(CHANGES)(
  "lets zombies starve by the minute in %s around %s, whatever changes the clock",
  (zone, date) => {
    const begin = Date.parse(`${date}T00:00:00Z`) - 3 * DAY;
    const holds = fc.property(fc.array(step, { minLength: 3, maxLength: 10 }), (steps) => {
      const hand = new HandClock(begin, zone);
      const history: string[] = [];
      for (const { wait, action, number, hours, start, end } of steps) {
        const [from, then] = [hand.now, hand.zombies.map((zombie) => ({ ...zombie }))];
        hand.pass(wait);
        const { now, game } = hand;
        history.push(`${rfc3339(now)} ${action}`);
        if (action === "infect") hand.infect(1 + number);
        else if (action === "addDay") hand.addDay();
        else if (action === "sweep") hand.sweep();
        // It begins at the last change of the clock, however early it is said to begin.
        else if (action === "arrears")
          hand.pauseSince(game.cuts.at(-1)?.made_at === from ? from - number * MINUTE : from, from, then);
        else if (action === "pause") hand.game = clock.pauseClock(game, now);
        else if (action === "resume") hand.game = clock.resumeClock(game, now);
        else {
          const limits = { starts_at: start && now + start * MINUTE, ends_at: end && now + end * MINUTE };
          const next: Schedule = schedule({ since: now, time_zone: zone, play_hours: hours, ...limits });
          hand.game = clock.setSchedule(game, next, now);
        }
        hand.check(history.join(", "));
        hand.checkPast(history.join(", "));
      }
      hand.game = clock.resumeClock(hand.game, hand.now);
      const predicted = hand.zombies.map(({ hunger, diedAt }) =>
        diedAt === null ? clock.wallDeadline(hand.game, hunger.deadline, hand.now) : diedAt,
      );
      const until = hand.now + 4 * DAY;
      hand.pass((4 * DAY) / MINUTE);
      hand.check(history.join(", "));
      for (const [at, { diedAt }] of hand.zombies.entries()) {
        const expected = predicted[at] ?? Number.POSITIVE_INFINITY;
        expect(diedAt, history.join(", ")).toBe(expected <= until ? expected : null);
      }
      schedules.ran();
    });
    fc.assert(holds, { numRuns: each, seed: schedules.seed });
  },
);

it("shows no deadline for a zombie that outlives the game", () => {
  const game = clock.setSchedule(NEW_GAME, schedule({ since: 0, ends_at: DAY }), 0);
  expect(clock.wallDeadline(game, DAY, HOUR)).toBe(DAY);
  expect(clock.wallDeadline(game, DAY + 1, HOUR)).toBeNull();
  expect(clock.starvedAt(game, { deadline: DAY + 1, epoch: game.epoch }, 90 * DAY)).toBeNull();
});
