import type { HashCost } from "../../lib/auth/password.ts";

/** Cheap, for tests; one test holds production's cost. */
export const CHEAP: HashCost = { memory: 64, passes: 1, parallelism: 1 };
