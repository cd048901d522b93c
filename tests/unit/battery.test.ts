/** What a tenth of the battery is. */
import { describe, expect, it } from "vitest";
import { SEED, tenthOf } from "../support/battery.ts";

const DECADE = Math.floor(SEED / 10) * 10;
const things = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("the tenth that a seed chooses", () => {
  it.each([1, 2, 9, 10, 11, 19, 95, 100, 101, 399])("has all of %i after ten seeds in a row", (count) => {
    const tenths = things(10).map((digit) => tenthOf(things(count), DECADE + digit, count));
    for (const tenth of tenths) {
      expect(tenth, `seed ${SEED}`).toHaveLength(Math.ceil(count / 10));
      expect(new Set(tenth).size).toBe(tenth.length);
    }
    expect([...new Set(tenths.flat())].toSorted((one, other) => one - other)).toEqual(things(count));
  });

  it("is the same for the same seed, and another for another seed or in another place", () => {
    const all = things(1_000);
    expect(tenthOf(all, 123, 4)).toEqual(tenthOf(all, 123, 4));
    expect(tenthOf(all, 123, 4)).not.toEqual(tenthOf(all, 123, 5));
    expect(tenthOf(all, 123, 4)).not.toEqual(tenthOf(all, 133, 4));
    expect(tenthOf(all, 123, 4).some((one) => tenthOf(all, 124, 4).includes(one))).toBe(false);
  });

  it("is nothing of nothing", () => {
    expect(tenthOf([], 7)).toEqual([]);
  });
});
