/** The cost of password hashes in tests; tests/unit/password.test.ts checks that of production. */
import type { HashCost } from "../../lib/auth/password.ts";

export const CHEAP: HashCost = { memory: 64, passes: 1, parallelism: 1 };
