/** Every fault at every call of the sweep and of the workers; what is left of their work comes again. */
import { describe, it } from "vitest";
import { part } from "../support/battery.ts";
import { CHAINS } from "./faults/chains.ts";
import { playOnTheWire } from "./faults/onTheWire.ts";
import { playChain } from "./faults/playChain.ts";
import { faultsAt, live, mannerOf, mortal, mortalQueue, openOnce, timeLeft } from "./faults/process.ts";
import { openStand } from "./faults/stand.ts";
import { wireFaultsAt, wireMannerOf } from "./faults/wireFaults.ts";

describe("a worker that dies, or whose database is away", () => {
  const on = openStand({ open: openOnce(), wrap: mortal, queue: mortalQueue, timeLeft });
  const level = { faultsAt, mannerOf, live };
  const all = { calls: 0, cells: 0 };
  const faults = part("faults, at the workers' calls", {
    full: 700,
    of: "faults",
    also: () => `${all.calls} calls, ${all.cells} faults in all`,
  });

  it.each(CHAINS.map((chain, n) => [chain.title, chain, n] as const))("in %s", async (_, chain, n) => {
    const played = await playChain({ on, level, chain }, { part: faults, place: n });
    all.calls += played.calls;
    all.cells += played.cells;
  });
});

describe("a worker whose wire breaks, throttles, conflicts or loses answers", () => {
  const all = { calls: 0, cells: 0 };
  const faults = part("faults, on the workers' wire", {
    full: 1_200,
    of: "faults",
    also: () => `${all.calls} requests, ${all.cells} faults in all`,
  });

  playOnTheWire(
    CHAINS,
    ({ title }) => title,
    async ({ on, wire }, chain, n) => {
      const level = { faultsAt: wireFaultsAt, mannerOf: wireMannerOf, live: wire.during };
      const played = await playChain({ on, level, chain }, { part: faults, place: n });
      all.calls += played.calls;
      all.cells += played.cells;
    },
  );
});
