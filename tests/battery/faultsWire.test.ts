/**
 * The connection to the database at its worst, at each request of every endpoint, of the sweep and of the workers.
 * When the request, or what is left of the work, comes again, everything must end as without a fault.
 */
import { afterAll, beforeAll, describe } from "vitest";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { IS_LARGE } from "../support/battery.ts";
import { ACCOUNTS } from "./faults/accounts.ts";
import { CHAINS } from "./faults/chains.ts";
import { openEnvironment } from "./faults/environment.ts";
import { MASTERS } from "./faults/masters.ts";
import { play } from "./faults/play.ts";
import { playChain } from "./faults/playChain.ts";
import { playFaults } from "./faults/run.ts";
import { makeWire } from "./faults/wire.ts";
import { wireEffectOf, wireFaultsAt } from "./faults/wireFaults.ts";

/** Concurrent setups: much of what they do is waiting. */
const LANES = IS_LARGE ? 3 : 1;

const openLane = () => {
  const wire = makeWire();
  const on = openEnvironment({
    open: ({ table }) => openDatabase({ table, endpoint: wire.endpoint() }),
    wrap: (usual) => usual,
    queue: (usual) => usual,
    timeLeft: wire.timeLeft,
    lags: false,
  });
  beforeAll(() => wire.start(on.s.place().endpoint));
  afterAll(() => wire.stop());
  return { on, level: { faultsAt: wireFaultsAt, effectOf: wireEffectOf, live: wire.during } };
};

describe("a connection that breaks, throttles, conflicts or loses responses", () => {
  const lanes = Array.from({ length: LANES }, openLane);
  for (const [whose, all, full] of [
    ["players'", ACCOUNTS, 1_230],
    ["game masters'", MASTERS, 1_740],
  ] as const) {
    // Many players take more of the same calls.
    const setups = all.filter(({ isLarge }) => isLarge !== true);
    playFaults(
      `faults, on the ${whose} wire`,
      { full, setups },
      lanes.map(
        ({ on, level }) =>
          (setup, faults, place) =>
            play(on, level, setup, { faults, place }),
      ),
    );
  }
  playFaults(
    "faults, on the workers' wire",
    { full: 1_200, setups: CHAINS },
    lanes.map(
      ({ on, level }) =>
        (chain, faults, place) =>
          playChain({ on, level, chain }, { faults, place }),
    ),
  );
});
