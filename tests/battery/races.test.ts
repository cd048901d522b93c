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
      const raced = await race(environment, variantsOf(...pair), LIMITS, random);
      const [failure] = raced.failures;
      if (failure !== undefined)
        failures.push(
          `${pair.join(" and ")}, ${raced.failures.length} of ${raced.ran}, the first:\n${failure}`,
        );
      expect(await environment.differingKeys(), "items that differ from what was written").toEqual([]);
      const isComplete = raced.isAll || raced.ran >= LIMITS.maxRuns || (!FULL && raced.isDecided);
      expect(isComplete, `${pair.join(" and ")} ran in enough orders`).toBe(true);
      races.ran();
      totals.interleavings += raced.ran;
      totals.variants += raced.variants;
      if (raced.isDecided) totals.decided += 1;
      for (const [name, times] of raced.allowed) allowed.set(name, (allowed.get(name) ?? 0) + times);
    }
  };
  await Promise.all(environments.map(work));
  if (failures.length > 0) throw new Error(`seed ${races.seed}\n${failures.join("\n\n")}`);
});
