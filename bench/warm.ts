/** Measures the CPU time of a request in a warm function, compared with peers. */
import { openScratch, startDatabase } from "./support/database.ts";
import { eventOf } from "./support/events.ts";
import { startHunting } from "./support/hunts.ts";
import { type Batch, startWarm, type Warm } from "./support/lambda.ts";
import { pinProcessTo } from "./support/machine.ts";
import { ratio, spreadOf } from "./support/numbers.ts";
import { atMost, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";
import { requireSameWork } from "./support/sameWork.ts";
import { bundlesOf, type Kind, SUBJECTS, type Subject } from "./support/subjects.ts";

/** Microseconds for each request. */
const cpuOf = ({ cpu, replies }: Batch): number => (cpu / replies.length) * 1_000;

/** @param quick whether few requests are enough */
export const bench: Bench = async (quick, cleanups) => {
  const scratch = await openScratch(cleanups);
  const bundles = { hunt: await bundlesOf("hunt", scratch), player: await bundlesOf("player", scratch) };
  pinProcessTo("driver");
  const database = await startDatabase(cleanups, scratch);
  const { hunt, view } = await startHunting(database.place);
  const requests = quick ? 10 : 300;
  const plan = quick ? QUICK : { quietRounds: 7, maxRounds: 12 };

  // Each kind of request has its own process, so that it does not warm up the other.
  const start = async (kind: Kind): Promise<Record<Subject, Warm>> => {
    await requireSameWork(kind, bundles[kind], database);
    const { ours, floor, express } = bundles[kind];
    const warm = ({ file }: typeof ours): Warm => startWarm(file, database.env, cleanups);
    return { ours: warm(ours), floor: warm(floor), express: warm(express) };
  };
  const warm = { hunt: await start("hunt"), player: await start("player") };
  const hunts = async (subject: Subject, count: number): Promise<number> =>
    cpuOf(await hunt(count, (all) => warm.hunt[subject](all.map(eventOf))));
  const views = async (subject: Subject, count: number): Promise<number> =>
    cpuOf(await view(count, (all) => warm.player[subject](all.map(eventOf))));

  if (!quick) {
    // These requests compile and optimize the code before the first round.
    for (const subject of SUBJECTS) await Promise.all([hunts(subject, 1_000), views(subject, 2_000)]);
  }
  const rounds = await runRounds(SUBJECTS, plan, async (subject) => ({
    player: await views(subject, requests),
    hunt: await hunts(subject, requests),
  }));

  const cpu = (subject: Subject, kind: Kind): number[] => rounds.values(subject, (run) => run[kind]);
  const toFloor = (kind: Kind): number => ratio(cpu("ours", kind), cpu("floor", kind));
  return {
    what: `${requests} requests of each kind, sequentially, to a warm process, with DynamoDB over TLS`,
    rounds,
    tables: [
      SUBJECTS.map((subject) => ({
        subject,
        "GET /player, CPU µs": spreadOf(cpu(subject, "player"), 0),
        "hunt, CPU µs": spreadOf(cpu(subject, "hunt"), 0),
      })),
    ],
    targets: [
      atMost("ours to the floor, GET /player", toFloor("player"), 1.15),
      atMost("ours to the floor, hunt", toFloor("hunt"), 1.15),
    ],
    met: true,
  };
};
