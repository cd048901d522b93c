/**
 * Faults at every call of every endpoint, of the sweep and of the workers: processes die, the database is unavailable,
 * connections break. After the request or the unfinished work is repeated, everything must be as without a fault.
 */
import { CHAINS } from "./faults/chains.ts";
import { openEnvironment } from "./faults/environment.ts";
import { sendingRequest } from "./faults/requests.ts";
import { injectFaults } from "./faults/run.ts";
import { SETUPS } from "./faults/setups.ts";
import { doingWork } from "./faults/work.ts";

const on = openEnvironment();
injectFaults(on, "faults, of requests", { full: 5_200, setups: SETUPS.map(sendingRequest) });
injectFaults(on, "faults, of workers", { full: 1_900, setups: CHAINS.map(doingWork) });
