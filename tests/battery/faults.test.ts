/**
 * Processes that die, and databases that are away, at every call of every endpoint, of the sweep and of the workers.
 * When the request, or what is left of the work, comes again, everything must end as without a fault.
 */
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../contract/seed.ts";
import { ACCOUNTS } from "./faults/accounts.ts";
import { CHAINS } from "./faults/chains.ts";
import { openEnvironment } from "./faults/environment.ts";
import { MASTERS } from "./faults/masters.ts";
import { play } from "./faults/play.ts";
import { playChain } from "./faults/playChain.ts";
import { effectOf, faultsAt, mortal, mortalQueue, openOnce, runProcess, timeLeft } from "./faults/process.ts";
import { playFaults } from "./faults/run.ts";

const SETUPS = [...ACCOUNTS, ...MASTERS];

it("plays every endpoint", () => {
  const played = new Set(SETUPS.map(({ route }) => route));
  expect([...played].toSorted()).toEqual(ENDPOINTS.map(({ route }) => route).toSorted());
});

describe("a process that dies, or whose database is away", () => {
  const on = openEnvironment({ open: openOnce(), wrap: mortal, queue: mortalQueue, timeLeft, lags: true });
  const level = { faultsAt, effectOf, live: runProcess };
  playFaults("faults, between store and database", { full: 2_500, setups: SETUPS }, [
    (setup, faults, place) => play(on, level, setup, { faults, place }),
  ]);
  playFaults("faults, at the workers' calls", { full: 700, setups: CHAINS }, [
    (chain, faults, place) => playChain({ on, level, chain }, { faults, place }),
  ]);
});
