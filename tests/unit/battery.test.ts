/** Which share of the battery a seed chooses. */
import { describe, expect, it } from "vitest";
import { SEED, shareOf } from "../support/battery.ts";

const DIVISOR = 50;
const BEGIN = Math.floor(SEED / DIVISOR) * DIVISOR;
const things = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("the share that a seed chooses", () => {
  it.each([1, 2, 49, 50, 51, 95, 399])("has all of %i after as many seeds as there are shares", (count) => {
    const shares = things(DIVISOR).map((n) => shareOf(things(count), BEGIN + n, count, DIVISOR));
    for (const share of shares) {
      expect(share, `seed ${SEED}`).toHaveLength(Math.ceil(count / DIVISOR));
      expect(new Set(share).size).toBe(share.length);
    }
    expect([...new Set(shares.flat())].toSorted((one, other) => one - other)).toEqual(things(count));
  });

  it("is the same for the same seed, and another for another seed or in another place", () => {
    const all = things(1_000);
    expect(shareOf(all, 123, 4, 10)).toEqual(shareOf(all, 123, 4, 10));
    expect(shareOf(all, 123, 4, 10)).not.toEqual(shareOf(all, 123, 5, 10));
    expect(shareOf(all, 123, 4, 10)).not.toEqual(shareOf(all, 133, 4, 10));
    expect(shareOf(all, 123, 4, 10).some((one) => shareOf(all, 124, 4, 10).includes(one))).toBe(false);
  });

  it("is everything at full figures, and nothing of nothing", () => {
    expect(shareOf(things(7), 3, 0, 1).toSorted()).toEqual(things(7));
    expect(shareOf([], 7)).toEqual([]);
  });
});
