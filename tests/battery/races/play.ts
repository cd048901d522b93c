/** Playing a meeting: two deeds on the scene, their calls in the order of a schedule, and what came of it. */
import type { Database } from "../../../lib/store/database.ts";
import type { Key } from "../../../lib/store/keys.ts";
import { driftOf } from "../../support/recount.ts";
import { type Stage, stage } from "../../support/service.ts";
import { restore, type Snapshot } from "../../support/snapshot.ts";
import type { Answer } from "./deeds.ts";
import { impossibleIn } from "./history.ts";
import type { Meeting } from "./meetings.ts";
import { type Facts, factsOf } from "./outcomes.ts";
import { makeScene, NOW, type Scene } from "./scene.ts";
import type { Walk } from "./schedules.ts";
import { earlier, inTurns, interleave } from "./turns.ts";

/** What a run came to. */
export interface Played {
  facts: Facts;
  /** Where the table does not agree with itself, or with its own record. */
  faults: string[];
}

export interface Ring {
  s: Stage;
  /** With `only`, one of the two deeds alone. */
  play: (meeting: Meeting, walk: Pick<Walk, "choose" | "end">, only?: number) => Promise<Played>;
}

/** Where deeds meet. The scene is made once, for however many tables. */
export const ring = (): Ring => {
  let db: Database | undefined;
  let now = NOW;
  const touched = new Map<string, Key>();
  const s = stage({
    database: (usual) => {
      db = usual;
      return inTurns(usual, ({ pk, sk }) => touched.set(`${pk}\n${sk}`, { pk, sk }));
    },
    services: () => ({ clock: () => now - earlier(), queue: { send: async () => {} } }),
  });

  let scene: Scene | undefined;
  /** What lies in which table, as far as we have put it there. */
  let lies: { table: string; items: Snapshot } = { table: "", items: new Map() };

  const prepare = async (meeting: Meeting): Promise<{ scene: Scene; then: Snapshot }> => {
    const { table } = s.place();
    if (lies.table !== table) lies = { table, items: new Map() };
    if (scene === undefined) {
      scene = await makeScene(s, (at) => {
        now = at;
      });
      lies.items = scene.grounds.paused;
    }
    const then = scene.grounds[meeting.ground];
    await restore(s, then, lies.items);
    lies.items = then;
    touched.clear();
    return { scene, then };
  };

  /** What lies in the table now: only what was written to can be different. */
  const look = async (then: Snapshot): Promise<Snapshot> => {
    if (db === undefined) throw new Error("the ring is used outside a story");
    const after = new Map(then);
    for (const name of touched.keys()) after.delete(name);
    for (const item of await db.getMany([...touched.values()])) after.set(`${item.pk}\n${item.sk}`, item);
    return after;
  };

  const play: Ring["play"] = async (meeting, walk, only) => {
    const { scene, then } = await prepare(meeting);
    const masters = [scene.who.Gus, scene.who.Gil] as const;
    const operations = meeting.deeds.map((deed, at) => ({
      earlier: deed.earlier ?? 0,
      run: (): Promise<Answer> =>
        deed.run({ services: s.services, call: s.call, scene, master: masters[at] ?? masters[0] }),
    }));
    const run = only === undefined ? operations : operations.slice(only, only + 1);
    const answers = await interleave(run, walk.choose);
    walk.end();
    const after = await look(then);
    lies.items = after;
    const drift = driftOf(after.values()).map(
      ({ kind, which, is, should }) => `${kind} ${which}: is ${is}, should be ${should}`,
    );
    return {
      facts: await factsOf(scene, answers, then, after),
      faults: [...drift, ...impossibleIn(then, after)],
    };
  };

  return { s, play };
};
