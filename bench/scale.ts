/**
 * Simulates a game of a million players against a model of DynamoDB, to find the load at which partitions throttle and
 * transactions conflict, by number of shards. The reads and writes of each operation are recorded from the handlers.
 */
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { MAX_ANNOUNCEMENTS_PER_MESSAGE } from "../lib/app/notifications/queueMessages.ts";
import {
  burstRates,
  huntRates,
  MISSION_HOUR,
  ordinaryRates,
  type Rates,
} from "../scripts/cost/trafficModel.ts";
import { firstLimit, type Limit, type PartitionLoad, unitsOf } from "./scale/bottleneck.ts";
import { LIMITS } from "./scale/partitions.ts";
import { ANNOUNCEMENT, BEFORE_SWEEP, play, type RecordingPlan } from "./scale/play.ts";
import { type Random, recipeOf } from "./scale/requests.ts";
import { type RecordedGame, simulate } from "./scale/simulate.ts";
import { allMet, atMost, type Bench, type Row, type Target } from "./support/report.ts";

interface Plan extends RecordingPlan {
  shards: readonly number[];
  /** The simulated seconds of each simulation without targets. */
  seconds: number;
  /** The simulated seconds of each simulation with targets. */
  targetSeconds: number;
}

/** The number of shards, and of hunts per second, for which there are targets. */
const SHARDS = 16;
const HUNTS = 2_000;
const FULL: Plan = {
  shards: [1, 4, SHARDS],
  hunts: 40,
  others: 6,
  players: 4_000,
  seconds: 8,
  targetSeconds: 60,
};
const QUICK: Plan = { shards: [SHARDS], hunts: 12, others: 2, players: 540, seconds: 1, targetSeconds: 12 };
/** Hunts with the requests of browsers and the messages of the stream's worker. */
const wholeBurst = (hunts: number): Rates => ({
  ...burstRates(hunts),
  [ANNOUNCEMENT]: hunts / MAX_ANNOUNCEMENTS_PER_MESSAGE,
});
const SCENARIOS = { "hunts alone": huntRates(HUNTS), "hunts, and what follows": wholeBurst(HUNTS) };
const MAX_CONFLICTS_PERCENT = 1;
/** A simulation must not throttle at this share below the computed limit, and must throttle at this share above it. */
const MARGIN = 0.15;
const CHECKED_SECONDS = 3;
const SEED = 20_261_121;
/** Read and write units per second that a new table, and each of its indexes, accepts (docs/scale.md). */
const NEW_TABLE = "12,000 / 4,000";

const formatNumber = (count: number): string => Math.round(count).toLocaleString("en");

/** Returns a random generator with a seed. */
const randomFrom = (seed: number): Random => {
  const generator = xoroshiro128plus(seed);
  const fraction = (): number => (generator.next() >>> 0) / 2 ** 32;
  return { fraction, below: (bound) => Math.floor(fraction() * bound) };
};

/** @returns the recordings, and the read units that each starved zombie adds to `GET /game` until it is swept */
const record = async (shards: number, plan: Plan): Promise<RecordedGame & { perStarved: number }> => {
  const { recordings, starved } = await play(shards, plan);
  const recipes = Map.groupBy(recordings.map(recipeOf), ({ operation }) => operation);
  if (recipes.get("hunt")?.length !== plan.hunts || recipes.get("GET /player")?.length !== plan.others) {
    throw new Error(`recorded: ${recordings.map(({ operation }) => operation).join(", ")}`);
  }
  const readOf = (operation: string): number => unitsOf(recipes.get(operation) ?? []).read;
  const perStarved = (readOf(BEFORE_SWEEP) - readOf("GET /game")) / starved;
  return { shards, recipes, random: randomFrom(SEED + shards), perStarved };
};

const operationRows = ({ shards, recipes }: RecordedGame): Row[] =>
  [...recipes].map(([operation, recorded]) => {
    const { read, write } = unitsOf(recorded);
    return { shards, operation, recorded: recorded.length, read: read.toFixed(1), write: write.toFixed(1) };
  });

const nameOf = ({ direction, kind }: PartitionLoad): string => `${direction}s of ${kind}`;

/** @throws Error unless simulations throttle above the computed limit, and not below it */
const checkLimit = (game: RecordedGame, { first, hunts }: Limit): void => {
  const throttledAt = (factor: number): number =>
    simulate(game, wholeBurst(hunts * factor), CHECKED_SECONDS).throttled[first.direction];
  const [below, above] = [throttledAt(1 - MARGIN), throttledAt(1 + MARGIN)];
  if (below === 0 && above > 0) return;
  throw new Error(`${nameOf(first)}: ${below} calls throttled below the computed limit, ${above} above`);
};

const bottleneckRow = (game: RecordedGame, perStarved: number): Row => {
  const limit = firstLimit(game, wholeBurst);
  const alone = firstLimit(game, huntRates);
  checkLimit(game, limit);
  const shown = ordinaryRates(MISSION_HOUR)["GET /game"] ?? 0;
  return {
    shards: game.shards,
    "full first": nameOf(limit.first),
    "at hunts a second": Math.round(limit.hunts),
    "hunts alone": `${alone.first.kind} ${formatNumber(alone.hunts)}`,
    // In a quick run too few zombies have starved to add a read unit.
    "starved, not swept, that fill ZOMBIES#% by GET /game":
      perStarved === 0 ? "not measured" : formatNumber((LIMITS.read * game.shards) / (shown * perStarved)),
  };
};

/** Fails if a target is missed. @param quick whether a few seconds are enough */
export const bench: Bench = async (quick) => {
  const plan = quick ? QUICK : FULL;
  const operations: Row[] = [];
  const scenarios: Row[] = [];
  const places: Row[] = [];
  const bottlenecks: Row[] = [];
  const targets: Target[] = [];
  let perStarved: number | undefined;
  for (const shards of plan.shards) {
    const game = await record(shards, plan);
    // Measured with one shard, because rounding up to whole units distorts it least there.
    perStarved ??= game.perStarved;
    operations.push(...operationRows(game));
    bottlenecks.push(bottleneckRow(game, perStarved));
    const hasTargets = shards === SHARDS;
    for (const [scenario, rates] of Object.entries(SCENARIOS)) {
      const seconds = hasTargets ? plan.targetSeconds : plan.seconds;
      const { requests, failed, throttled, conflicts, peaks } = simulate(game, rates, seconds);
      scenarios.push({
        shards,
        scenario,
        requests,
        failed,
        "conflicts, %": conflicts.toFixed(2),
        "writes throttled": throttled.write,
        "reads throttled": throttled.read,
      });
      if (!hasTargets) continue;
      const at = `${shards} shards, ${formatNumber(HUNTS)} a second, ${scenario}`;
      targets.push(
        atMost(`${at}: writes throttled`, throttled.write, 0),
        atMost(`${at}: conflicts, %`, conflicts, MAX_CONFLICTS_PERCENT),
      );
      for (const place of [...peaks.write.keys()].toSorted()) {
        const units = [peaks.read, peaks.write].map((own) => formatNumber(own.get(place) ?? 0)).join(" / ");
        places.push({ scenario, place, "read / write in a second": units, "when new": NEW_TABLE });
      }
    }
  }
  return {
    what:
      `a million players against a model of DynamoDB: ${formatNumber(LIMITS.write)} writes and ` +
      `${formatNumber(LIMITS.read)} reads a second of a partition, and of Lambda's environments, each of which reads ` +
      `the game item for display once a second; seed ${SEED}, ` +
      `${plan.targetSeconds} s with 16 shards, ${plan.seconds} s with fewer`,
    tables: [operations, scenarios, places, bottlenecks],
    targets,
    met: allMet(targets),
  };
};
