/** Random choices. */
import type { Random } from "./battery.ts";

/** Returns a random element. @throws Error for an empty list */
export const pickOne = <T>(random: Random, things: readonly T[]): T => {
  const thing = things[random.below(things.length)];
  if (thing === undefined) throw new Error("there is nothing to choose from");
  return thing;
};
