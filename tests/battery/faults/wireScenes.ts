/** The scenes of endpoints, with everything that the wire to the database can do to their requests. */
import { describe } from "vitest";
import { part } from "../../support/battery.ts";
import { playOnTheWire } from "./onTheWire.ts";
import { type Level, play } from "./play.ts";
import { type Scene, titleOf } from "./scene.ts";
import type { Wire } from "./wire.ts";
import { wireFaultsAt, wireMannerOf } from "./wireFaults.ts";

const levelOf = (wire: Wire): Level => ({
  faultsAt: wireFaultsAt,
  mannerOf: wireMannerOf,
  live: wire.during,
});

/** @param full how many faults there are at least */
export const playScenesOnTheWire = (name: string, scenes: readonly Scene[], full: number): void => {
  describe("a wire that breaks, throttles, conflicts or loses answers, at each of its requests", () => {
    const all = { calls: 0, cells: 0 };
    const faults = part(name, {
      full,
      of: "faults",
      also: () => `${all.calls} requests, ${all.cells} faults in all`,
    });
    // What many players take more of is the same calls again.
    const some = scenes.filter(({ isLarge }) => isLarge !== true);
    playOnTheWire(some, titleOf, async ({ on, wire }, scene, n) => {
      const played = await play(on, levelOf(wire), scene, { part: faults, place: n });
      all.calls += played.calls;
      all.cells += played.cells;
    });
  });
};
