/** A choice among things of which nobody has written down that there are any. */
import type { Random } from "./battery.ts";

/** One of some things. @throws Error when there are none */
export const oneOf = <T>(random: Random, things: readonly T[]): T => {
  const thing = things[random.below(things.length)];
  if (thing === undefined) throw new Error("there is nothing to choose from");
  return thing;
};
