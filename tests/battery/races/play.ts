/** Playing a meeting: two deeds on the scene, their calls in the order of a schedule, and what came of it. */
import { isDeepStrictEqual } from "node:util";
import { driftOf } from "../../support/recount.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import type { Answer } from "./deeds.ts";
import { impossibleIn } from "./history.ts";
import type { Meeting } from "./meetings.ts";
import { remembering } from "./memory.ts";
import { type Facts, factsOf } from "./outcomes.ts";
import { makeScene, NOW, type Scene } from "./scene.ts";
import { type Choose, earlier, inTurns, interleave, letterOf, type Operation } from "./turns.ts";
import { putBack, readItems } from "./wire.ts";

/** What a run came to. */
export interface Played {
  facts: Facts;
  /** Where the table does not agree with itself, or with its own record. */
  faults: string[];
}

export interface Ring {
  /** Both deeds, one call at a time. */
  sideBySide: (meeting: Meeting, choose: Choose) => Promise<Played>;
  /** Deeds one after the other, each to its end; by their places. */
  inTurn: (meeting: Meeting, order: readonly number[]) => Promise<Played>;
  /** Where the whole table lies otherwise than the last run is known to have left it: nowhere. */
  astray: () => Promise<string[]>;
}

const firstCome: Choose = ([first]) => {
  if (first === undefined) throw new Error("nothing waits");
  return first;
};

/** Where deeds meet. The scene is made once, for however many tables. */
export const ring = (): Ring => {
  let memory: ReturnType<typeof remembering> | undefined;
  let now = NOW;
  const s: TestEnvironment = testEnvironment({
    database: (usual) => {
      memory = remembering(usual, (keys) => readItems(s.place(), keys));
      return inTurns(memory.db);
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
    await putBack(s.place(), lies.items, then);
    lies.items = then;
    memory?.begin(then);
    return { scene, then };
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
    if (memory === undefined) throw new Error("the ring is used outside a story");
    const after = await memory.look();
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
    async astray() {
      const is = await snapshot(s);
      const names = new Set([...is.keys(), ...lies.items.keys()]);
      return [...names].filter((name) => !isDeepStrictEqual(is.get(name), lies.items.get(name)));
    },
  };
};
