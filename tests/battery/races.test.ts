/**
 * Races: every pair of operations on one player or the game runs concurrently, with its database calls interleaved in
 * many different orders. Each outcome must equal that of one operation after the other.
 */
import { expect, it } from "vitest";
import { FULL, part, randomFrom, SEED, share, shareOf } from "../support/battery.ts";
import { type RaceEnvironment, raceEnvironment } from "./races/play.ts";
import { race } from "./races/race.ts";
import { PAIRS, variantsOf } from "./races/variants.ts";

/** The maximum number of interleavings of a pair, and how many run after those that make a difference. */
const LIMITS = { maxRuns: 500, maxFurther: FULL ? 500 : 5 };
/** The seed chooses the pairs. */
const CHOSEN = shareOf(PAIRS, SEED, 0, Math.ceil(PAIRS.length / share(PAIRS.length, 6)));

const totals = { interleavings: 0, decided: 0, variants: 0 };
const allowed = new Map<string, number>();
const races = part("races", {
  full: PAIRS.length,
  of: "pairs",
  also() {
    const { interleavings, decided, variants } = totals;
    const differences = [...allowed].map(([name, times]) => `${name} ${times}`).join(", ");
    return `${interleavings} interleavings of ${variants} variants, ${decided} pairs in every order that makes a difference; allowed differences: ${differences}`;
  },
});

/** Three pairs race at once, because each waits for the database half of the time. */
const environments = [raceEnvironment(), raceEnvironment(), raceEnvironment()];

it("ends as if one operation had come after the other", async () => {
  const failures: string[] = [];
  const left = CHOSEN.values();
  const work = async (environment: RaceEnvironment): Promise<void> => {
    for (const pair of left) {
      const random = randomFrom(races.seed, PAIRS.indexOf(pair));
      const variants = variantsOf(...pair);
      const { failures: failed, ...raced } = await race(environment, variants, LIMITS, random);
      const say = pair.join(" and ");
      if (failed.length > 0)
        failures.push(`${say}, ${failed.length} of ${raced.ran}, the first:\n${failed[0]}`);
      expect(await environment.differingKeys(), "items that differ from what was written").toEqual([]);
      const isComplete = raced.isAll || raced.ran >= LIMITS.maxRuns || (!FULL && raced.isDecided);
      expect(isComplete && variants.length > 0, `${say} ran in enough orders`).toBe(true);
      races.ran();
      totals.interleavings += raced.ran;
      totals.variants += variants.length;
      if (raced.isDecided) totals.decided += 1;
      for (const name of raced.allowances) allowed.set(name, (allowed.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(environments.map(work));
  if (failures.length > 0) throw new Error(`seed ${races.seed}\n${failures.join("\n\n")}`);
});
