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
import { type Choose, earlier, inTurns, interleave, letterOf, type Operation } from "./turns.ts";

/** What a run came to. */
export interface Played {
  facts: Facts;
  /** Where the table does not agree with itself, or with its own record. */
  faults: string[];
}

export interface Ring {
  s: Stage;
  /** Both deeds, one call at a time. */
  sideBySide: (meeting: Meeting, choose: Choose) => Promise<Played>;
  /** Deeds one after the other, each to its end; by their places. */
  inTurn: (meeting: Meeting, order: readonly number[]) => Promise<Played>;
}

const firstCome: Choose = ([first]) => {
  if (first === undefined) throw new Error("nothing waits");
  return first;
};

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

  const carriedOut = async (
    meeting: Meeting,
    carryOut: (operations: readonly Operation<Answer>[]) => Promise<Map<string, Answer>>,
  ): Promise<Played> => {
    const { scene, then } = await prepare(meeting);
    const { Gus, Gil } = scene.who;
    const operations = meeting.deeds.map(({ earlier = 0, run }, at) => ({
      earlier,
      run: () => run({ services: s.services, call: s.call, scene, master: at === 0 ? Gus : Gil }),
    }));
    const answers = await carryOut(operations);
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

  return {
    s,
    sideBySide: (meeting, choose) =>
      carriedOut(meeting, async (operations) => {
        const answers = await interleave(operations, choose);
        return new Map(answers.map((answer, at) => [letterOf(at), answer]));
      }),
    inTurn: (meeting, order) =>
      carriedOut(meeting, async (operations) => {
        const answers = new Map<string, Answer>();
        for (const which of order) {
          const letter = letterOf(which);
          const [answer] = await interleave(operations.slice(which, which + 1), firstCome);
          if (answer !== undefined) answers.set(answers.has(letter) ? `${letter}, again,` : letter, answer);
        }
        return answers;
      }),
  };
};
