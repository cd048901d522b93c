/**
 * Races: every pair of operations on one player or the game runs concurrently, with its database calls interleaved in
 * many different orders. Each outcome must equal that of one operation after the other.
 */
import { expect, it } from "vitest";
import { IS_WHOLE, part, randomFrom, SEED, share, shareOf } from "../support/battery.ts";
import { type RaceEnvironment, raceEnvironment } from "./races/play.ts";
import { race } from "./races/race.ts";
import { PAIRS, variantsOf } from "./races/variants.ts";

/**
 * The number of interleavings of a pair. In a small run the seed chooses a hundredth of the pairs.
 */
const EACH = share(500, 50);
const ONE_OF = IS_WHOLE ? Math.max(1, Math.floor((1.6 * EACH) / share(500))) : 100;
const CHOSEN = shareOf(PAIRS, SEED, 0, ONE_OF);

const totals = { pairs: 0, decided: 0, variants: 0 };
const allowed = new Map<string, number>();
const races = part("races", {
  full: PAIRS.length * 500,
  of: "interleavings",
  also() {
    const { pairs, decided, variants } = totals;
    const differences = [...allowed].map(([name, times]) => `${name} ${times}`).join(", ");
    return `${pairs} pairs in ${variants} variants, ${decided} pairs in every order that makes a difference; allowed differences: ${differences}`;
  },
});
races.lacks(Math.max(0, races.cases - CHOSEN.length * EACH));

/** Each waits for the database half of the time. */
const environments = [raceEnvironment(), raceEnvironment(), raceEnvironment()];

it("ends as if one operation had come after the other", async () => {
  const failures: string[] = [];
  const left = CHOSEN.values();
  const work = async (environment: RaceEnvironment): Promise<void> => {
    for (const pair of left) {
      const random = randomFrom(races.seed, PAIRS.indexOf(pair));
      const raced = await race(environment, variantsOf(...pair), EACH, random);
      const [failure] = raced.failures;
      if (failure !== undefined)
        failures.push(
          `${pair.join(" and ")}, ${raced.failures.length} of ${raced.ran}, the first:\n${failure}`,
        );
      expect(await environment.differingKeys(), "items that differ from what was written").toEqual([]);
      races.ran(raced.ran);
      if (raced.isAll) races.lacks(Math.max(0, EACH - raced.ran));
      totals.pairs += 1;
      totals.variants += raced.variants;
      if (raced.decided === raced.variants) totals.decided += 1;
      for (const [name, times] of raced.allowed) allowed.set(name, (allowed.get(name) ?? 0) + times);
    }
  };
  await Promise.all(environments.map(work));
  if (failures.length > 0) throw new Error(`seed ${races.seed}\n${failures.join("\n\n")}`);
});
