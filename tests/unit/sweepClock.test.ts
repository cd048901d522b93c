/** Which clocks a sweep trusts: sweeps that overlap, clocks that are set back, put right again, or jump ahead. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  describeHold,
  describeHoldOptions,
  isGap,
  recordHeldSweep,
  recordSweep,
  type SweepClock,
} from "../../lib/domain/sweepClock.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./support.ts";

/** What sweeps remember that ran at these instants, none of which was held. */
const sweptAtAll = (...instants: number[]): SweepClock => {
  const known = instants.reduce<SweepClock | null>(recordSweep, null);
  if (known === null) throw new Error("no sweep");
  return known;
};

/** A sweep each minute from an instant on, for so long. */
const minutely = (from: number, length: number): number[] =>
  Array.from({ length: Math.floor(length / MINUTE) + 1 }, (_, n) => from + n * MINUTE);

describe("a sweep", () => {
  it("is not held an hour after the last one, and is held later than that", () => {
    expect(isGap(sweptAtAll(T0), T0 + HOUR)).toBe(false);
    expect(isGap(sweptAtAll(T0), T0 + HOUR + 1)).toBe(true);
  });

  it("that began earlier than another, or on a machine whose clock is a little behind, does not move the clock back", () => {
    expect(sweptAtAll(T0, T0 - 50 * SECOND)).toEqual({ at: T0 });
    expect(isGap(sweptAtAll(T0, T0 - 5 * MINUTE), T0 + HOUR)).toBe(false);
  });

  it("is not held when a clock that was set back is put right within an hour", () => {
    // As on a machine that starts with its clock two hours behind, until it has asked for the time.
    const known = sweptAtAll(T0, ...minutely(T0 - 2 * HOUR, 10 * MINUTE));
    expect(isGap(known, T0 + 11 * MINUTE)).toBe(false);
    expect(recordSweep(known, T0 + 11 * MINUTE)).toEqual({ at: T0 + 11 * MINUTE });
    // A jump to elsewhere is one all the same.
    expect(isGap(known, T0 - 30 * MINUTE)).toBe(false);
    expect(isGap(known, T0 + 2 * HOUR)).toBe(true);
  });

  it("is held when a clock that was set back jumps ahead again later than that", () => {
    const wrong = T0 + 3 * DAY;
    const known = sweptAtAll(T0, wrong, ...minutely(T0 + MINUTE, HOUR + MINUTE));
    expect(known).toEqual({ at: T0 + HOUR + 2 * MINUTE });
    expect(isGap(known, wrong + HOUR)).toBe(true);
  });

  it("is not held any more, and remembers no hold, when the clock is back", () => {
    const held = recordHeldSweep(recordHeldSweep(sweptAtAll(T0), T0 + DAY, 3), T0 + DAY + MINUTE, 4);
    expect(held).toEqual({ at: T0, held: { since: T0 + DAY, until: T0 + DAY + MINUTE, due: 4 } });
    expect(isGap(held, T0 + 3 * MINUTE)).toBe(false);
    expect(recordSweep(held, T0 + 3 * MINUTE)).toEqual({ at: T0 + 3 * MINUTE });
  });

  it("each minute is never held, and a jump after an hour of them always is", () => {
    const instant = fc.integer({ min: T0 - 30 * DAY, max: T0 + 30 * DAY });
    fc.assert(
      fc.property(
        fc.array(instant, { maxLength: 8 }),
        instant,
        fc.integer({ min: HOUR + 5 * MINUTE + 1, max: 60 * DAY }),
        (before, from, jump) => {
          let known = sweptAtAll(...before, from);
          for (const now of minutely(from, HOUR + 6 * MINUTE)) {
            expect(isGap(known, now)).toBe(false);
            known = recordSweep(known, now);
          }
          expect(isGap(known, known.at + jump)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps what a later version of the service has added", () => {
    const later = { at: T0, of_a_later_version: "?" };
    expect(recordSweep(later, T0 + MINUTE)).toEqual({ ...later, at: T0 + MINUTE });
    expect(recordHeldSweep(later, T0 + DAY, 1)).toMatchObject(later);
  });
});

it("says why sweeps are held, and how to go on in the game that is meant", () => {
  expect(describeHold(recordHeldSweep(sweptAtAll(T0), T0 + 9 * HOUR, 31))).toMatch(
    /, 9 hours later, and 31 zombies would be/,
  );
  expect(describeHold(recordHeldSweep(sweptAtAll(T0), T0 + 3 * DAY, 1))).toMatch(
    /, 3 days later, and 1 zombie would be/,
  );
  expect(describeHoldOptions("--stage spring")).toContain(
    "npm run sweep -- --accept-gap --stage spring lets",
  );
});
