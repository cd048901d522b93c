/** The clock and play time at their edges. What pauses, days and schedules do to deadlines is in tests/battery/time.test.ts. */
import { expect, it } from "vitest";
import { addDayToClock, dropCuts, pauseClock, resumeClock } from "../../lib/domain/clock.ts";
import { instantAtPlayTime, isPlayTime, nextChange, playTime, WEEKDAYS } from "../../lib/domain/schedule.ts";
import { schedule } from "../support/schedules.ts";
import { aGame } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, T0 } from "./times.ts";

it("the clock ignores a second pause, and a resume while it runs", () => {
  const running = deepFreeze(aGame());
  const paused = deepFreeze(pauseClock(running, T0));
  expect(pauseClock(paused, T0 + HOUR)).toBe(paused);
  expect(resumeClock(running, T0 + HOUR)).toBe(running);
});

it("the clock does not go back when the machine that resumes it has a slow clock", () => {
  expect(resumeClock(pauseClock(aGame({ offset: 5 }), T0), T0 - HOUR).offset).toBe(5);
});

it("a cut is dropped once a sweep that began at or after it has finished", () => {
  const twice = deepFreeze(addDayToClock(addDayToClock(aGame(), T0), T0 + HOUR));
  expect(dropCuts(twice, T0 - 1)).toEqual(twice);
  expect(dropCuts(twice, T0)).toEqual({ ...twice, cuts: twice.cuts.slice(1) });
  expect(dropCuts(twice, T0 + HOUR - 1).cuts).toHaveLength(1);
  expect(dropCuts(twice, T0 + HOUR)).toEqual({ ...twice, cuts: [] });
});

it("play time is the wall clock without a schedule, and until the schedule was set", () => {
  const late = schedule({ since: 9 * HOUR, starts_at: 12 * HOUR });
  for (const one of [null, late]) {
    expect(playTime(one, 7 * HOUR)).toBe(7 * HOUR);
    expect(instantAtPlayTime(one, 7 * HOUR)).toBe(7 * HOUR);
    expect(isPlayTime(one, 7 * HOUR)).toBe(true);
  }
  expect(playTime(late, 11 * HOUR)).toBe(9 * HOUR);
  expect(playTime(late, 13 * HOUR)).toBe(10 * HOUR);
});

it("a schedule knows when play begins or ends next", () => {
  const days = schedule({ ends_at: 40 * DAY, play_hours: { friday: [["08:00", "22:00"]] } });
  expect(nextChange(days, 0)).toBe(DAY + 8 * HOUR);
  expect(nextChange(days, DAY + 8 * HOUR)).toBe(DAY + 22 * HOUR);
  expect(nextChange(days, DAY + 22 * HOUR)).toBe(8 * DAY + 8 * HOUR);
  expect(nextChange(days, 39 * DAY)).toBeNull();
  expect(nextChange(schedule({ starts_at: HOUR }), 0)).toBe(HOUR);
  expect(nextChange(schedule({ starts_at: HOUR }), 2 * HOUR)).toBeNull();
  expect(nextChange(null, 0)).toBeNull();
  const whole = Object.fromEntries(WEEKDAYS.map((day) => [day, [["00:00", "24:00"] as [string, string]]]));
  expect(nextChange(schedule({ ends_at: 90 * DAY, play_hours: whole }), HOUR)).toBe(90 * DAY);
  expect(nextChange(schedule({ play_hours: whole }), HOUR)).toBeNull();
});
