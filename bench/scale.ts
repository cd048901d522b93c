/**
 * A game of a million players over a week, against a model of DynamoDB: what its partitions and its transactions bear,
 * by the number of shards. What each operation reads and writes is recorded from the handlers themselves.
 */

import { burstRates, huntRates, MISSION_HOUR, ordinaryRates } from "../scripts/cost/trafficModel.ts";
import { type Load, makeScales, unitsOf, type Weigh } from "./scale/bottleneck.ts";
import { LIMITS } from "./scale/partitions.ts";
import { play, type Script, UNSWEPT } from "./scale/play.ts";
import { randomFrom } from "./scale/random.ts";
import { recipeOf } from "./scale/requests.ts";
import { templatesOf } from "./scale/roles.ts";
import { HUNTS, outcomeOf, rowOf, SCENARIOS, tellOf } from "./scale/scenarios.ts";
import { simulate, type World } from "./scale/simulate.ts";
import { weekOf } from "./scale/weekly.ts";
import { atMost, type Row, report, type Target } from "./support/report.ts";

interface Plan extends Script {
  shards: readonly number[];
  /** Of each scenario. */
  seconds: number;
  /** Of those for which figures are asked. */
  askedSeconds: number;
}

/** What is asked for is asked for with so many shards. */
const ASKED_SHARDS = 16;
const FULL: Plan = {
  shards: [1, 4, ASKED_SHARDS],
  hunts: 40,
  others: 6,
  crowd: 4_000,
  seconds: 8,
  askedSeconds: 60,
};
const QUICK: Plan = { shards: [ASKED_SHARDS], hunts: 12, others: 2, crowd: 540, seconds: 1, askedSeconds: 4 };

/** In percent. */
const MOST_CONFLICTS = 1;
/** A simulation this much below what fills a partition must find none full, and one above it must find some. */
const MARGIN = 0.15;
/** Long enough to use up what a partition has kept. */
const CHECKED_SECONDS = 3;
const SEED = 20_261_121;
/** What a new table bears, and each new index, until it has been asked for more or warmed: see partitions.ts. */
const NEW_TABLE = "12,000 / 4,000";

interface Recorded extends World {
  /** Read units that each zombie costs who has starved and was not swept yet, whenever the game is shown. */
  perUnswept: number;
}

const record = async (shards: number, plan: Plan): Promise<Recorded> => {
  const { recordings, due } = await play(shards, plan);
  const recipes = Map.groupBy(templatesOf(recordings, shards).map(recipeOf), ({ operation }) => operation);
  const counts = new Map([...recipes].map(([operation, own]) => [operation, own.length]));
  if (counts.get("hunt") !== plan.hunts || counts.get("GET /player") !== plan.others) {
    throw new Error(`recorded was ${JSON.stringify([...counts])}`);
  }
  const [unswept, swept] = [UNSWEPT, "GET /game"].map((name) => unitsOf(recipes.get(name) ?? []).read);
  const perUnswept = ((unswept ?? 0) - (swept ?? 0)) / due;
  return { shards, recipes, random: randomFrom(SEED + shards), perUnswept };
};

const operationsOf = ({ shards, recipes }: World): Row[] =>
  [...recipes].map(([operation, own]) => {
    const { read, write } = unitsOf(own);
    return { shards, operation, recorded: own.length, read: read.toFixed(1), write: write.toFixed(1) };
  });

const fullAt = ({ part }: Load): number => Math.round(HUNTS / part);

/** @throws Error unless the simulation fills the partition where it was worked out to be full, and not before */
const requireFullAt = (world: World, { kind, direction, part }: Load, seconds: number): void => {
  const throttledAt = (times: number): number => {
    const { throttled } = simulate(world, { perSecond: burstRates((HUNTS / part) * times) }, seconds);
    return throttled[direction].get(kind) ?? 0;
  };
  const [below, above] = [throttledAt(1 - MARGIN), throttledAt(1 + MARGIN)];
  if (below === 0 && above > 0) return;
  throw new Error(`${direction}s of ${kind}: ${below} throttled below what fills it, ${above} above`);
};

const bottleneckOf = (world: World, weigh: Weigh, perUnswept: number, seconds: number): Row => {
  const loads = weigh(burstRates(HUNTS));
  const inWords = (load: Load | undefined): string =>
    load === undefined ? "" : `${load.kind} ${fullAt(load).toLocaleString("en")}`;
  const [first] = loads;
  if (first === undefined) throw new Error("nothing was loaded");
  requireFullAt(world, first, seconds);
  const shown = ordinaryRates(MISSION_HOUR)["GET /game"] ?? 0;
  return {
    shards: world.shards,
    "full first": `${first.direction}s of ${first.kind}`,
    "at hunts a second": fullAt(first),
    "of writes": inWords(loads.find(({ direction }) => direction === "write")),
    "of reads": inWords(loads.find(({ direction }) => direction === "read")),
    "without browsers": inWords(weigh(huntRates(HUNTS))[0]),
    // So few as a quick run has cost nothing beside what a query costs anyhow.
    "unswept dead that fill ZOMBIES#% by GET /game":
      perUnswept === 0
        ? "not measured"
        : Math.round((LIMITS.read * world.shards) / (shown * perUnswept)).toLocaleString("en"),
  };
};

/** The fullest partitions of a burst, as far as they are worth knowing. */
const loadsOf = (weigh: Weigh): Row[] =>
  weigh(burstRates(HUNTS))
    .slice(0, 8)
    .map((load) => ({
      partition: `${load.direction}s of ${load.kind}`,
      units: Math.round(load.units),
      "of its limit, %": (load.part * 100).toFixed(0),
      "full at hunts a second": fullAt(load),
    }));

/**
 * Records, simulates, prints, and writes bench/results/scale.json.
 * @param quick whether few seconds will do
 * @returns whether no write is throttled and few transactions conflict, as is asked for
 */
export const scaleBench = async (quick: boolean): Promise<boolean> => {
  const plan = quick ? QUICK : FULL;
  const tables: Record<"operations" | "weeks" | "scenarios" | "whole" | "fullest" | "bottlenecks", Row[]> = {
    operations: [],
    weeks: [],
    scenarios: [],
    whole: [],
    fullest: [],
    bottlenecks: [],
  };
  const targets: Target[] = [];
  const simulated: unknown[] = [];
  let perUnswept: number | undefined;
  for (const shards of plan.shards) {
    const world = await record(shards, plan);
    // Where all lie in one partition, least is rounded up.
    perUnswept ??= world.perUnswept;
    const weigh = makeScales(world.recipes, shards);
    for (const scenario of SCENARIOS) {
      const isAsked = shards === ASKED_SHARDS && scenario.isAskedFor;
      const outcome = outcomeOf(world, scenario, isAsked ? plan.askedSeconds : plan.seconds);
      tables.scenarios.push(rowOf(shards, scenario, outcome));
      simulated.push(tellOf(shards, scenario, outcome));
      if (!isAsked) continue;
      const at = `${shards} shards, ${HUNTS.toLocaleString("en")} a second, ${scenario.name}`;
      targets.push(
        atMost(`${at}: writes throttled`, outcome.throttledWrites, 0),
        atMost(`${at}: conflicts, %`, outcome.conflicts, MOST_CONFLICTS),
      );
      const { read, write } = outcome.simulated.totals;
      for (const place of new Set([...read.keys(), ...write.keys()])) {
        const [reads, writes] = [read, write].map((units) => Math.round(units.get(place) ?? 0));
        const most = `${reads?.toLocaleString("en")} / ${writes?.toLocaleString("en")}`;
        tables.whole.push({
          scenario: scenario.name,
          place,
          "read / write in a second": most,
          "when new": NEW_TABLE,
        });
      }
    }
    tables.bottlenecks.push(bottleneckOf(world, weigh, perUnswept, CHECKED_SECONDS));
    tables.operations.push(...operationsOf(world));
    tables.weeks.push(weekOf(shards, world.recipes, weigh));
    if (shards === ASKED_SHARDS) {
      tables.fullest.push(...loadsOf(weigh));
    }
  }
  await report({
    name: "scale",
    quick,
    what:
      `a million players against a model of DynamoDB: ${LIMITS.write.toLocaleString("en")} writes and ` +
      `${LIMITS.read.toLocaleString("en")} reads a second of a partition; seed ${SEED}, ` +
      `${plan.askedSeconds} s of what is asked for, ${plan.seconds} s of the rest`,
    tables: Object.values(tables),
    targets,
    more: { seed: SEED, simulated },
  });
  return targets.every(({ held }) => held);
};
