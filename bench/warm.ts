/** Processor time of a request in a warm function: ours and the peers. */
import { openScratch, startDatabase } from "./support/database.ts";
import { eventOf } from "./support/events.ts";
import {
  checkHunts,
  checkPlayers,
  huntRequest,
  openPlace,
  playerRequest,
  putHunter,
  putPrey,
} from "./support/hunts.ts";
import { type Batch, startWarm, type Warm } from "./support/lambda.ts";
import { moveTo } from "./support/machine.ts";
import { ratio, spread } from "./support/numbers.ts";
import { withEnds } from "./support/processes.ts";
import { atMost, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";
import { requireSameWork } from "./support/sameWork.ts";
import { bundlesOf, type Kind, SUBJECTS, type Subject } from "./support/subjects.ts";

/** Microseconds for each request. */
const cpuOf = ({ cpu, replies }: Batch): number => (cpu / replies.length) * 1_000;

/**
 * Measures, prints, and writes bench/results/warm.json.
 * @param quick whether few requests are enough
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

    // A process for each kind, so that one does not warm up the other.
    const start = async (kind: Kind): Promise<Record<Subject, Warm>> => {
      await requireSameWork(kind, bundles[kind], database);
      const { ours, floor, express } = bundles[kind];
      const warm = ({ file }: typeof ours): Warm => startWarm(file, env, ends);
      return { ours: warm(ours), floor: warm(floor), express: warm(express) };
    };
    const warm = { hunt: await start("hunt"), player: await start("player") };

    const hunts = async (subject: Subject, count: number): Promise<number> => {
      const prey = await putPrey(place, count);
      const batch = await warm.hunt[subject](prey.map((one) => eventOf(huntRequest(hunter, one))));
      await checkHunts(store, hunter, prey, batch.replies);
      return cpuOf(batch);
    };
    const views = async (subject: Subject, count: number): Promise<number> => {
      const events = Array.from({ length: count }, () => eventOf(playerRequest(hunter)));
      const batch = await warm.player[subject](events);
      checkPlayers(hunter, batch.replies, count);
      return cpuOf(batch);
    };

    if (!quick) {
      // So that the code is compiled and optimized before the first round.
      for (const subject of SUBJECTS) await Promise.all([hunts(subject, 1_000), views(subject, 2_000)]);
    }
    const rounds = await inTurns(SUBJECTS, plan, async (subject) => ({
      player: await views(subject, requests),
      hunt: await hunts(subject, requests),
    }));

    const cpu = (subject: Subject, kind: Kind): number[] => rounds.values(subject, (run) => run[kind]);
    const toFloor = (kind: Kind): number => ratio(cpu("ours", kind), cpu("floor", kind));
    await report({
      name: "warm",
      quick,
      what: `${requests} requests of each kind, sequentially, to a warm process, with DynamoDB over TLS`,
      rounds,
      tables: [
        SUBJECTS.map((subject) => ({
          subject,
          "GET /player, CPU µs": spread(cpu(subject, "player"), 0),
          "hunt, CPU µs": spread(cpu(subject, "hunt"), 0),
        })),
      ],
      targets: [
        atMost("ours to the floor, GET /player", toFloor("player"), 1.15),
        atMost("ours to the floor, hunt", toFloor("hunt"), 1.15),
      ],
    });
    return true;
  });
