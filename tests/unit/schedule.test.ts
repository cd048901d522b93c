import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantAtPlayTime, isPlayTime, nextChange, playTime, WEEKDAYS } from "../../lib/domain/schedule.ts";
import { CHANGES, isPlayed, localTime, playHours, schedule } from "../support/schedules.ts";
import { SLOW } from "./support.ts";
import { DAY, HOUR, iso, MINUTE } from "./times.ts";

describe("play time", () => {
  it.each(CHANGES)(
    "follows a clock that is moved by the minute in %s around %s",
    (zone, date) => {
      const format = localTime(zone);
      const limits = fc.record({
        hours: playHours,
        start: fc.option(fc.integer({ max: 3 * 24 * 60 })),
        end: fc.option(fc.integer({ min: 1 * 24 * 60, max: 9 * 24 * 60 })),
      });
      const holds = fc.property(limits, ({ hours, start, end }) => {
        const since = Date.parse(`${date}T00:00:00Z`) - 4 * DAY;
        const one = schedule({
          ...{ since, time_zone: zone, play_hours: hours },
          starts_at: start === null ? null : since + start * MINUTE,
          ends_at: end === null ? null : since + end * MINUTE,
        });
        let played = since;
        for (let now = since; now < since + 8 * DAY; now += MINUTE) {
          const counts = isPlayed(one, format, now);
          if (playTime(one, now) !== played)
            expect.fail(`${iso(now)}: ${playTime(one, now)} is not ${played}`);
          if (isPlayTime(one, now) !== counts) expect.fail(`${iso(now)} is not as expected`);
          if (!counts) continue;
          const inverse = instantAtPlayTime(one, played + 1);
          if (inverse !== now + 1) expect.fail(`${played + 1} is not at ${iso(now)}`);
          played += MINUTE;
        }
      });
      fc.assert(holds, { numRuns: 12 });
    },
    SLOW.timeout,
  );

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

  it("never reaches a time after the end", () => {
    const ends = schedule({ ends_at: 5 * HOUR });
    expect(instantAtPlayTime(ends, 5 * HOUR)).toBe(5 * HOUR);
    expect(instantAtPlayTime(ends, 5 * HOUR + 1)).toBeNull();
    expect(playTime(ends, 80 * DAY)).toBe(5 * HOUR);
  });

  it("reaches a deadline in the evening, and not on the next morning", () => {
    const days = schedule({ play_hours: { thursday: [["08:00", "22:00"]], friday: [["08:00", "22:00"]] } });
    expect(instantAtPlayTime(days, 14 * HOUR)).toBe(22 * HOUR);
    expect(instantAtPlayTime(days, 14 * HOUR + 1)).toBe(DAY + 8 * HOUR + 1);
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
