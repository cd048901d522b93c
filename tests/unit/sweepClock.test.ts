/** When a sweep is held: with overlapping sweeps, and clocks that are set back, corrected, or jump ahead. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isGap,
  recordHeldSweep,
  recordSweep,
  type SweepClock,
} from "../../lib/domain/starvation/sweepClock.ts";
import { present } from "./support.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

const sweptAll = (...instants: number[]): SweepClock =>
  present(instants.reduce<SweepClock | null>(recordSweep, null));

const minutely = (from: number, duration: number): number[] =>
  Array.from({ length: Math.floor(duration / MINUTE) + 1 }, (_, n) => from + n * MINUTE);

describe("a sweep", () => {
  it("is held more than an hour after the last one, whatever slower clocks or overlapping sweeps recorded", () => {
    for (const known of [sweptAll(T0), sweptAll(T0, T0 - 50 * SECOND), sweptAll(T0, T0 - 5 * MINUTE)])
      expect([HOUR, HOUR + 1].map((gap) => isGap(known, T0 + gap))).toEqual([false, true]);
  });

  it("is not held when a clock that was set back is corrected within an hour, but is when it jumps ahead later", () => {
    const known = sweptAll(T0, ...minutely(T0 - 2 * HOUR, 10 * MINUTE));
    const gaps = [11 * MINUTE, -30 * MINUTE, 2 * HOUR].map((at) => isGap(known, T0 + at));
    expect(gaps).toEqual([false, false, true]);
    expect(recordSweep(known, T0 + 11 * MINUTE)).toEqual({ at: T0 + 11 * MINUTE });
    const later = sweptAll(T0, T0 + 3 * DAY, ...minutely(T0 + MINUTE, HOUR + MINUTE));
    expect(later).toEqual({ at: T0 + HOUR + 2 * MINUTE });
    expect(isGap(later, T0 + 3 * DAY + HOUR)).toBe(true);
  });

  it("is never held while it runs every minute, but always when the clock then jumps by more than 65 minutes", () => {
    const instant = fc.integer({ min: T0 - 30 * DAY, max: T0 + 30 * DAY });
    const jumps = fc.integer({ min: HOUR + 5 * MINUTE + 1, max: 60 * DAY });
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 8 }), instant, jumps, (before, from, jump) => {
        let known = sweptAll(...before, from);
        for (const now of minutely(from, HOUR + 6 * MINUTE)) {
          expect(isGap(known, now)).toBe(false);
          known = recordSweep(known, now);
        }
        expect(isGap(known, known.at + jump)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps fields that a later version has added", () => {
    const later = { at: T0, of_a_later_version: "?" };
    expect(recordSweep(later, T0 + MINUTE)).toEqual({ ...later, at: T0 + MINUTE });
    const held = recordHeldSweep(later, T0 + DAY, 1);
    expect(held).toMatchObject(later);
    // The hold began with the first of these sweeps.
    expect(recordHeldSweep(held, T0 + 2 * DAY, 2).held).toEqual({
      since: T0 + DAY,
      until: T0 + 2 * DAY,
      due: 2,
    });
  });
});
