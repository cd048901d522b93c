/** Edge cases of the clock and of play time. tests/battery/time.test.ts tests how they move deadlines. */
import { expect, it } from "vitest";
import { addDayToClock, dropSnapshots, pauseClock, resumeClock } from "../../lib/domain/game/clock.ts";
import { hoursOrDays, nextChange, WEEKDAYS } from "../../lib/domain/game/schedule.ts";
import { schedule } from "../support/schedules.ts";
import { aGame } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, T0 } from "./times.ts";

it("the clock ignores a second pause and a resume while it runs; a resume by a slow clock moves no deadline", () => {
  const running = deepFreeze(aGame({ offset: 5 }));
  const paused = deepFreeze(pauseClock(running, T0));
  expect(pauseClock(paused, T0 + HOUR)).toBe(paused);
  expect(resumeClock(running, T0 + HOUR)).toBe(running);
  expect(resumeClock(paused, T0 - HOUR).offset).toBe(5);
});

it("a snapshot is dropped after a sweep that began at its time or later", () => {
  const twice = deepFreeze(addDayToClock(addDayToClock(aGame(), T0), T0 + HOUR));
  expect(dropSnapshots(twice, T0 - 1)).toEqual(twice);
  expect(dropSnapshots(twice, T0)).toEqual({ ...twice, cuts: twice.cuts.slice(1) });
  expect(dropSnapshots(twice, T0 + HOUR)).toEqual({ ...twice, cuts: [] });
});

it.each([
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2027-03-14"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["Antarctica/Troll", "2027-03-28"],
])("each day of %s begins once, at midnight, also around %s", (timeZone, date) => {
  const middle = Date.parse(`${date}T12:00:00Z`);
  const { starts } = hoursOrDays(timeZone, middle - 10 * DAY, middle + 10 * DAY);
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "short" });
  const [days, times] = [0, 1].map((n) => new Set(starts.map((at) => format.format(at).split(", ")[n])));
  expect([days?.size, starts.length, times]).toEqual([21, 21, new Set(["00:00"])]);
});

it("the next change of a schedule is the next time at which play begins or ends", () => {
  const days = schedule({ ends_at: 40 * DAY, play_hours: { friday: [["08:00", "22:00"]] } });
  const whole = Object.fromEntries(WEEKDAYS.map((day) => [day, [["00:00", "24:00"] as [string, string]]]));
  const [start, end] = [DAY + 8 * HOUR, DAY + 22 * HOUR];
  for (const [one, now, next] of [
    [days, 0, start],
    [days, start, end],
    [days, end, start + 7 * DAY],
    // Windows are computed for thirty days at a time.
    [days, 29 * DAY + 22 * HOUR, 36 * DAY + 8 * HOUR],
    [days, 39 * DAY, null],
    [schedule({ starts_at: HOUR }), 0, HOUR],
    [schedule({ starts_at: HOUR }), 2 * HOUR, null],
    [null, 0, null],
    [schedule({ ends_at: 90 * DAY, play_hours: whole }), HOUR, 90 * DAY],
    [schedule({ play_hours: whole }), HOUR, null],
  ] as const)
    expect(nextChange(one, now)).toBe(next);
});
