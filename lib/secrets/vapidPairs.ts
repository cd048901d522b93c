/** The key pairs for push. Whoever loads this needs them: what reads their parameter comes along. */
import { keysOf } from "./known.ts";
import { keptVapidPairs } from "./parameters.ts";
import type { KeySource, VapidPair } from "./secrets.ts";

/** @throws Refusal `unavailable` while they cannot be had; Error where the parameter holds none */
export const vapidPairs = (source: KeySource<VapidPair>): Promise<readonly VapidPair[]> =>
  keysOf(source, async (parameter) => keptVapidPairs(parameter));
