/** What a request costs a warm function in CPU: ours, and whoever else does the same. */
import { checkHunts, checkPlayers, openPlace, paired } from "./support/checks.ts";
import { openScratch, startDatabase } from "./support/database.ts";
import { huntEvent, playerEvent } from "./support/events.ts";
import { type Answered, startWarm, type Warm } from "./support/lambda.ts";
import { moveTo } from "./support/machine.ts";
import { ratio, spread } from "./support/numbers.ts";
import { withEnds } from "./support/processes.ts";
import { atMost, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";
import { requireSameWork } from "./support/sameWork.ts";
import { putHunter, putPrey } from "./support/scene.ts";
import { bundlesOf, KINDS, type Kind, SUBJECTS, type Subject } from "./support/subjects.ts";

interface Run {
  /** Microseconds of a core for each request. */
  cpu: number;
  /** Milliseconds for each. */
  wall: number;
}

const runOf = ({ cpu, wall, replies }: Answered): Run => ({
  cpu: (cpu / replies.length) * 1_000,
  wall: wall / replies.length,
});

/**
 * Measures, prints, and writes bench/results/warm.json.
 * @param quick whether few requests will do
 */
export const warmBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    const scratch = await openScratch(ends);
    const bundles = { hunt: await bundlesOf("hunt", scratch), player: await bundlesOf("player", scratch) };
    moveTo("driver");
    const database = await startDatabase(ends, scratch);
    const { place, env } = database;
    const store = openPlace(place);
    const hunter = await putHunter(place);
    const requests = quick ? 10 : 300;
    const plan = quick ? QUICK : { wanted: 7, most: 12 };

    /** A process for each: what one is asked makes no other faster. */
    const warm: Record<Kind, Map<Subject, Warm>> = { hunt: new Map(), player: new Map() };
    for (const kind of KINDS) {
      await requireSameWork(kind, bundles[kind], database);
      for (const subject of SUBJECTS)
        warm[kind].set(subject, startWarm(bundles[kind][subject].file, env, ends));
    }
    const processOf = (kind: Kind, subject: Subject): Warm => {
      const one = warm[kind].get(subject);
      if (one === undefined) throw new Error(`there is no ${subject}`);
      return one;
    };

    const hunts = async (subject: Subject, count: number): Promise<Run> => {
      const prey = await putPrey(place, count);
      const answered = await processOf("hunt", subject)(prey.map((one) => huntEvent(hunter, one)));
      await checkHunts(store, hunter, paired(prey, answered.replies));
      return runOf(answered);
    };
    const views = async (subject: Subject, count: number): Promise<Run> => {
      const events = Array.from({ length: count }, () => playerEvent(hunter));
      const answered = await processOf("player", subject)(events);
      if (answered.replies.length !== count) throw new Error("a request was not answered");
      checkPlayers(hunter, answered.replies);
      return runOf(answered);
    };

    // Compiled and optimized before anything counts, and in the first round once more.
    if (!quick)
      for (const subject of SUBJECTS) await Promise.all([hunts(subject, 1_000), views(subject, 2_000)]);
    const rounds = await inTurns(SUBJECTS, plan, async (subject) => ({
      player: await views(subject, requests),
      hunt: await hunts(subject, requests),
    }));

    const cpu = (subject: Subject, kind: Kind): number[] => rounds.values(subject, (run) => run[kind].cpu);
    const to = (other: Subject, kind: Kind): number => ratio(cpu("ours", kind), cpu(other, kind));
    await report({
      name: "warm",
      quick,
      what: `${requests} requests of each kind, one after the other, to a warm process, DynamoDB over TLS beside it`,
      rounds,
      tables: [
        SUBJECTS.map((subject) => ({
          subject,
          "GET /player, CPU µs": spread(cpu(subject, "player"), 0),
          "hunt, CPU µs": spread(cpu(subject, "hunt"), 0),
          "GET /player, ms": spread(
            rounds.values(subject, ({ player }) => player.wall),
            1,
          ),
          "hunt, ms": spread(
            rounds.values(subject, ({ hunt }) => hunt.wall),
            1,
          ),
        })),
      ],
      targets: [
        atMost("ours to the floor, GET /player", to("floor", "player"), 1.15),
        atMost("ours to the floor, hunt", to("floor", "hunt"), 1.15),
      ],
    });
    return true;
  });
