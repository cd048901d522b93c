/** How long a fresh process takes to load a bundle and answer its first hunt: ours, and whoever else does the same. */
import { handlerSizes } from "../scripts/bundle/sizes.ts";
import { shownSizes } from "./cold/sizes.ts";
import type { Bundle } from "./support/bundle.ts";
import { checkHunts, openPlace } from "./support/checks.ts";
import { openScratch, startDatabase } from "./support/database.ts";
import { huntEvent } from "./support/events.ts";
import { type First, firstAnswer } from "./support/lambda.ts";
import { moveTo } from "./support/machine.ts";
import { ratio, spread } from "./support/numbers.ts";
import { withEnds } from "./support/processes.ts";
import { atMost, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";
import { requireSameWork } from "./support/sameWork.ts";
import { putHunter, putPrey } from "./support/scene.ts";
import { bundlesOf, floorLikeOurs, SUBJECTS } from "./support/subjects.ts";

/** Beside the subjects, what says how much of the difference is code, and how much the way that it is bundled. */
const RUNNERS = [...SUBJECTS, "floor, bundled like ours"] as const;
type Runner = (typeof RUNNERS)[number];

type Took = Omit<First, "reply">;

/** What is compared: from before the bundle is loaded to the answer. */
const whole = ({ load, answer }: Took): number => load + answer;

/**
 * Measures, prints, and writes bench/results/cold.json.
 * @param quick whether few processes will do
 * @returns whether every bundle keeps its budget
 */
export const coldBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    const scratch = await openScratch(ends);
    const sizes = await handlerSizes();
    const compared = await bundlesOf("hunt", scratch);
    const bundles: Record<Runner, Bundle> = {
      ...compared,
      "floor, bundled like ours": await floorLikeOurs("hunt", scratch),
    };
    moveTo("driver");
    const database = await startDatabase(ends, scratch);
    const { place, env } = database;
    await requireSameWork("hunt", compared, database);

    const plan = quick ? QUICK : { wanted: 25, most: 40 };
    const store = openPlace(place);
    const hunter = await putHunter(place);
    const rest = (await putPrey(place, RUNNERS.length * (plan.most + 1))).values();
    const rounds = await inTurns(RUNNERS, plan, async (subject): Promise<Took> => {
      const { value: prey } = rest.next();
      if (prey === undefined) throw new Error("there is no prey left");
      const { reply, ...took } = await firstAnswer(bundles[subject].file, huntEvent(hunter, prey), env);
      await checkHunts(store, hunter, [{ reply, prey }]);
      return took;
    });

    const took = (subject: Runner): number[] => rounds.values(subject, whole);
    const to = (other: Runner): number => ratio(took("ours"), took(other));
    const over = sizes.filter(({ isOver }) => isOver).length;
    await report({
      name: "cold",
      quick,
      what: "a fresh process of Node.js loads its bundle and answers its first hunt, DynamoDB over TLS beside it",
      rounds,
      tables: [
        RUNNERS.map((subject) => ({
          subject,
          "KB gzip at the start": (bundles[subject].gzip / 1024).toFixed(1),
          "load and answer, ms": spread(took(subject), 0),
          "load, ms": spread(
            rounds.values(subject, ({ load }) => load),
            0,
          ),
          "from the process's start, ms": spread(
            rounds.values(subject, ({ all }) => all),
            0,
          ),
          "CPU of load and answer, ms": spread(
            rounds.values(subject, ({ cpu }) => cpu),
            0,
          ),
          "ours to it": subject === "ours" ? "" : to(subject).toFixed(2),
        })),
        shownSizes(sizes),
      ],
      targets: [
        atMost("ours to the floor", to("floor"), 1.15),
        atMost("ours to Express", to("express"), 0.7),
        atMost(`handlers over their budget, of ${sizes.length}`, over, 0),
      ],
      more: { sizes },
    });
    return over === 0;
  });
