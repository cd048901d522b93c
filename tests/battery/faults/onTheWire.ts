/** Plays scenes with everything that the wire to the database can do to a request. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { openDatabase } from "../../../lib/store/database.ts";
import { part, randomFrom, SEED } from "../../support/battery.ts";
import { type Level, play } from "./play.ts";
import { type Scene, titleOf } from "./scene.ts";
import { openStand } from "./stand.ts";
import { makeWire } from "./wire.ts";
import { wireFaultsAt, wireMannerOf } from "./wireFaults.ts";

/** @param full how many faults there are at least */
export const playOnTheWire = (name: string, scenes: readonly Scene[], full: number): void => {
  const wire = makeWire();
  const on = openStand({
    open: ({ table }) => openDatabase({ table, endpoint: wire.endpoint() }),
    wrap: (usual) => usual,
    queue: (usual) => usual,
    timeLeft: wire.timeLeft,
  });
  const level: Level = { faultsAt: wireFaultsAt, mannerOf: wireMannerOf, live: wire.during };
  beforeAll(() => wire.start(on.s.place().endpoint));
  afterAll(() => wire.stop());

  describe("a wire that breaks, throttles, conflicts or loses answers, at each of its requests", () => {
    const all = { calls: 0, cells: 0 };
    const faults = part(name, {
      full,
      of: "faults",
      also: () => `${all.calls} requests, ${all.cells} faults in all`,
    });

    // What many players take more of is the same calls again.
    const some = scenes.filter(({ isLarge }) => isLarge !== true);
    it.each(some.map((scene, n) => [titleOf(scene), scene, n] as const))("%s", async (_, scene, n) => {
      const played = await play(on, level, scene, { part: faults, random: randomFrom(SEED, n) });
      all.calls += played.calls;
      all.cells += played.cells;
    });
  });
};
