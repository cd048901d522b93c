/**
 * Faults at every call of every endpoint, of the sweep and of the workers: processes die, the database is unavailable,
 * connections break. After the request or the unfinished work is repeated, everything must be as without a fault.
 */
import { expect, it } from "vitest";
import { ENDPOINTS } from "../contract/seed.ts";
import { ACCOUNTS } from "./faults/accounts.ts";
import { CHAINS } from "./faults/chains.ts";
import { openEnvironment } from "./faults/environment.ts";
import { MASTERS } from "./faults/masters.ts";
import { sendingRequest } from "./faults/requests.ts";
import { injectFaults } from "./faults/run.ts";
import { doingWork } from "./faults/work.ts";

const SETUPS = [...ACCOUNTS, ...MASTERS];

it("plays every endpoint", () => {
  const played = new Set(SETUPS.map(({ route }) => route));
  expect([...played].toSorted()).toEqual(ENDPOINTS.map(({ route }) => route).toSorted());
});

const on = openEnvironment();
injectFaults(on, "faults, of requests", { full: 5_200, setups: SETUPS.map(sendingRequest) });
injectFaults(on, "faults, of workers", { full: 1_900, setups: CHAINS.map(doingWork) });
