/** Plays a variant: two operations on the same table, their calls in the order of a schedule, and the outcome. */
import { driftOf } from "../../support/recount.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { snapshot } from "../../support/snapshot.ts";
import { useTempDir } from "../../support/tempDir.ts";
import { newMirror } from "../mirror.ts";
import { type Fixture, makeFixture, NOW } from "./fixture.ts";
import { mailIn } from "./mailFixture.ts";
import type { OperationResult } from "./operations.ts";
import { type Facts, factsOf } from "./outcomes.ts";
import { type Choose, earlier, inTurns, interleave, letterOf, type Run } from "./turns.ts";
import type { Variant } from "./variants.ts";

export interface Played {
  facts: Facts;
  /** Finds where the table is inconsistent, which takes a fifth of the time. */
  faults: () => string[];
}

const firstWaiting: Choose = ([first]) => {
  if (first === undefined) throw new Error("nothing waits");
  return first;
};

/** Makes the game on first use, and plays variants in it. */
export const raceEnvironment = () => {
  const mirror = newMirror({ servesReads: true });
  let now = NOW;
  const s: TestEnvironment = testEnvironment({
    database: (usual) => inTurns(mirror.database(usual)),
    services: () => ({
      clock: () => now - earlier(),
      queue: { send: async () => {} },
      // A draw has the same result in each order.
      newSeed: () => "0".repeat(32),
    }),
  });
  const inTempDir = useTempDir();
  const mail = mailIn(inTempDir("outbox"));
  let fixture: Fixture | undefined;

  const play = async (
    variant: Variant,
    execute: (operations: readonly Run<OperationResult>[]) => Promise<Map<string, OperationResult>>,
  ): Promise<Played> => {
    if (fixture === undefined) {
      fixture = await makeFixture(s, {
        at: (time) => {
          now = time;
        },
        mail,
      });
      mirror.take(await snapshot(s));
    }
    const on = fixture;
    const then = on.tables[variant.state];
    await mirror.restore(s, then);
    Object.assign(s.services, { mail: variant.state === "mail" ? mail : null });
    const { Gus, Gil } = on.who;
    const operations = variant.operations.map(({ earlier = 0, run }, at) => ({
      earlier,
      run: () => run({ services: s.services, call: s.call, fixture: on, master: at === 0 ? Gus : Gil }),
    }));
    const responses = await execute(operations);
    await mirror.catchUp(s);
    const after = new Map(mirror.items());
    const faults = () =>
      driftOf(after.values()).map(
        ({ kind, which, is, should }) => `${kind} ${which}: is ${is}, should be ${should}`,
      );
    return { facts: await factsOf(on, responses, then, after), faults };
  };

  return {
    /** Both operations, one call at a time. */
    concurrently: (variant: Variant, choose: Choose) =>
      play(variant, async (operations) => {
        const responses = await interleave(operations, choose);
        return new Map(responses.map((response, at) => [letterOf(at), response]));
      }),
    /** Operations one after the other, given by their indexes. */
    inOrder: (variant: Variant, order: readonly number[]) =>
      play(variant, async (operations) => {
        const responses = new Map<string, OperationResult>();
        for (const which of order) {
          const letter = letterOf(which);
          const [response] = await interleave(operations.slice(which, which + 1), firstWaiting);
          if (response !== undefined)
            responses.set(responses.has(letter) ? `${letter}, again,` : letter, response);
        }
        return responses;
      }),
    /** Keys of the items in which the table differs from the known result of the last run. */
    differingKeys: () => mirror.differences(s),
  };
};
export type RaceEnvironment = ReturnType<typeof raceEnvironment>;
