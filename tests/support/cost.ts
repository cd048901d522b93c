/** What a password costs in tests. */
import type { Cost } from "../../lib/auth/password.ts";

/** Cheap, for tests; one test holds production's cost. */
export const CHEAP: Cost = { memory: 64, passes: 1, parallelism: 1 };
