import { expect, it } from "vitest";
import { newEventId } from "../../lib/runtime/eventId.ts";

const bitsOf = (hex: string): string =>
  [...hex].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0")).join("");

/** The counter of a UUID v7 within its millisecond: 32 bits after the version, without the variant. */
const counterOf = (id: string): number => {
  const bits = bitsOf(id.replaceAll("-", ""));
  return Number.parseInt(bits.slice(52, 64) + bits.slice(66, 86), 2);
};

it("makes ids that sort, and of which no distance proves that one is missing between them", () => {
  const ids = Array.from({ length: 5_000 }, newEventId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  const steps = ids.flatMap((id, at) => {
    const next = ids[at + 1] ?? "";
    return next.slice(0, 13) === id.slice(0, 13) ? [counterOf(next) - counterOf(id)] : [];
  });
  expect(steps.length).toBeGreaterThan(500);
  // Pairs of neighbours and pairs with an id between them overlap: the shortest of these is shorter than most of those.
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  const shortOfTwo = steps.filter((step, at) => step + (steps[at + 1] ?? mean) < mean / 2);
  const longOfOne = steps.filter((step) => step > 2 * mean);
  expect(Math.min(shortOfTwo.length, longOfOne.length)).toBeGreaterThan(steps.length / 50);
});
