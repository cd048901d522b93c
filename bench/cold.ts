/** Measures how long a new process takes to load a bundle and respond to a hunt, compared with peers; bundle sizes. */
import { handlerSizes } from "../scripts/bundle/sizes.ts";
import { openScratch, startDatabase } from "./support/database.ts";
import { eventOf } from "./support/events.ts";
import { startHunting } from "./support/hunts.ts";
import { firstReply } from "./support/lambda.ts";
import { pinProcessTo } from "./support/machine.ts";
import { ratio, spreadOf } from "./support/numbers.ts";
import { atMost, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";
import { requireSameWork } from "./support/sameWork.ts";
import { bundlesOf, SUBJECTS, type Subject } from "./support/subjects.ts";

/** Fails if a bundle is over its budget. @param quick whether few processes are enough */
export const bench: Bench = async (quick, cleanups) => {
  const scratch = await openScratch(cleanups);
  const sizes = await handlerSizes();
  const bundles = await bundlesOf("hunt", scratch);
  pinProcessTo("driver");
  const database = await startDatabase(cleanups, scratch);
  await requireSameWork("hunt", bundles, database);

  const { hunt } = await startHunting(database.place);
  const plan = quick ? QUICK : { quietRounds: 25, maxRounds: 40 };
  const rounds = await runRounds(SUBJECTS, plan, (subject) =>
    hunt(1, async ([request]) => {
      if (request === undefined) throw new Error("there is no prey");
      const { reply, ...times } = await firstReply(bundles[subject].file, eventOf(request), database.env);
      return { ...times, total: times.load + times.respond, replies: [reply] };
    }),
  );

  const valuesOf = (subject: Subject, what: "load" | "cpu" | "total"): number[] =>
    rounds.values(subject, (run) => run[what]);
  const to = (peer: Subject): number => ratio(valuesOf("ours", "total"), valuesOf(peer, "total"));
  const over = sizes.filter(({ isOver }) => isOver);
  for (const { handler, budget } of over) console.error(`${handler} is over its budget of ${budget} bytes`);
  return {
    what: "a fresh process of Node.js loads its bundle and responds to its first hunt, with DynamoDB over TLS",
    rounds,
    tables: [
      SUBJECTS.map((subject) => ({
        subject,
        "KB gzip at the start": (bundles[subject].gzip / 1024).toFixed(1),
        "load and respond, ms": spreadOf(valuesOf(subject, "total"), 0),
        "load, ms": spreadOf(valuesOf(subject, "load"), 0),
        "CPU of both, ms": spreadOf(valuesOf(subject, "cpu"), 0),
        "ours to it": subject === "ours" ? "" : to(subject).toFixed(2),
      })),
    ],
    targets: [
      atMost("ours to the floor", to("floor"), 1.15),
      atMost("ours to Express", to("express"), 0.7),
      atMost(`handlers over their budget, of ${sizes.length}`, over.length, 0),
    ],
    met: over.length === 0,
  };
};
