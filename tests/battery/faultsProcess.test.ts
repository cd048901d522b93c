/** Processes that die and databases that are away, at every call of every endpoint; then whoever asked asks again. */
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../contract/seed.ts";
import { part } from "../support/battery.ts";
import { ACCOUNTS } from "./faults/accounts.ts";
import { MASTERS } from "./faults/masters.ts";
import { type Level, play } from "./faults/play.ts";
import { faultsAt, live, mannerOf, mortal, mortalQueue, openOnce, timeLeft } from "./faults/process.ts";
import { titleOf } from "./faults/scene.ts";
import { openStand } from "./faults/stand.ts";

const SCENES = [...ACCOUNTS, ...MASTERS];

const on = openStand({ open: openOnce(), wrap: mortal, queue: mortalQueue, timeLeft });
const level: Level = { faultsAt, mannerOf, live };

describe("a process that dies, or whose database is away, at each of its calls", () => {
  const all = { calls: 0, cells: 0 };
  const faults = part("faults, between store and database", {
    full: 2_500,
    of: "faults",
    also: () => `${all.calls} calls, ${all.cells} faults in all`,
  });

  it("is met in every endpoint that there is", () => {
    const played = new Set(SCENES.map(({ route }) => route));
    expect([...played].toSorted()).toEqual(ENDPOINTS.map(({ route }) => route).toSorted());
  });

  it.each(SCENES.map((scene, n) => [titleOf(scene), scene, n] as const))("%s", async (_, scene, n) => {
    const played = await play(on, level, scene, { part: faults, place: n });
    all.calls += played.calls;
    all.cells += played.cells;
  });
});
