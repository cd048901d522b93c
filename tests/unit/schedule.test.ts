/** Play time without a schedule, and its next change. What a schedule does is in tests/battery/time.test.ts. */
import { describe, expect, it } from "vitest";
import { instantAtPlayTime, isPlayTime, nextChange, playTime, WEEKDAYS } from "../../lib/domain/schedule.ts";
import { schedule } from "../support/schedules.ts";
import { DAY, HOUR } from "./times.ts";

describe("play time", () => {
  it("is the wall clock without a schedule, and until the schedule was set", () => {
    const late = schedule({ since: 9 * HOUR, starts_at: 12 * HOUR });
    for (const one of [null, late]) {
      expect(playTime(one, 7 * HOUR)).toBe(7 * HOUR);
      expect(instantAtPlayTime(one, 7 * HOUR)).toBe(7 * HOUR);
      expect(isPlayTime(one, 7 * HOUR)).toBe(true);
    }
    expect(playTime(late, 11 * HOUR)).toBe(9 * HOUR);
    expect(playTime(late, 13 * HOUR)).toBe(10 * HOUR);
  });

  it("knows when play begins or ends next", () => {
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
});
