/** The share of a battery that a seed selects: over all seeds every case runs. */
import { expect, it } from "vitest";
import { SEED, shareOf } from "../support/battery.ts";

const DIVISOR = 50;
const FIRST = Math.floor(SEED / DIVISOR) * DIVISOR;
const things = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it.each([0, 1, 2, 49, 50, 51, 95, 399])(
  "all of %i cases run after as many seeds as there are shares",
  (count) => {
    const shares = things(DIVISOR).map((n) => shareOf(things(count), FIRST + n, count, DIVISOR));
    for (const share of shares) {
      expect(share, `seed ${SEED}`).toHaveLength(Math.ceil(count / DIVISOR));
      expect(new Set(share).size).toBe(share.length);
    }
    expect([...new Set(shares.flat())].toSorted((one, other) => one - other)).toEqual(things(count));
  },
);

it("a seed repeats its share, and other seeds and places select others", () => {
  const select = (seed: number, place = 4) => shareOf(things(1_000), seed, place, 10);
  expect(select(123)).toEqual(select(123));
  for (const other of [select(123, 5), select(133)]) expect(other).not.toEqual(select(123));
  expect(select(123).some((one) => select(124).includes(one))).toBe(false);
  expect(shareOf(things(7), 3, 0, 1).toSorted()).toEqual(things(7));
});
