/**
 * Simulates a game of a million players against a model of DynamoDB, to find the load at which partitions throttle and
 * transactions conflict, by number of shards. The reads and writes of each operation are recorded from the handlers.
 */
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { MAX_ANNOUNCEMENTS_PER_MESSAGE } from "../lib/app/notifications/queueMessages.ts";
import {
  burstRates,
  GAME_MASTER_RATES,
  huntRates,
  MISSION_HOUR,
  ordinaryRates,
  type Rates,
} from "../scripts/cost/trafficModel.ts";
import { type Limit, limitsOf, placeLoads, unitsOf } from "./scale/bottleneck.ts";
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
const QUICK: Plan = { shards: [SHARDS], hunts: 48, others: 2, players: 540, seconds: 1, targetSeconds: 15 };
/**
 * All that happens after a mission: hunts with the requests of their browsers and the messages of the stream's worker, and
 * what the other players' browsers send in an evening. The number of players grows with the hunts.
 */
const wholeBurst = (hunts: number): Rates => {
  const rates: Record<string, number> = { ...burstRates(hunts) };
  for (const [operation, rate] of Object.entries(ordinaryRates(MISSION_HOUR))) {
    if (operation in GAME_MASTER_RATES) continue;
    rates[operation] = (rates[operation] ?? 0) + (rate * hunts) / HUNTS;
  }
  return { ...rates, [ANNOUNCEMENT]: hunts / MAX_ANNOUNCEMENTS_PER_MESSAGE };
};
const SCENARIOS = { "hunts alone": huntRates(HUNTS), "all requests": wholeBurst(HUNTS) };
const MAX_CONFLICTS_PERCENT = 1;
/** A simulation must not throttle at this share below the computed limit, and must throttle at this share above it. */
const MARGIN = 0.15;
const CHECKED_SECONDS = 3;
/** How many kinds of partitions are listed for each number of shards, those that are full first. */
const LIMITS_SHOWN = 6;
const SEED = 20_261_121;

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

const nameOf = ({ direction, kind }: Limit): string => `${direction}s of ${kind}`;

/** @throws Error unless simulations throttle above the computed limit, and not below it */
const checkLimit = (game: RecordedGame, limit: Limit): void => {
  const throttledAt = (factor: number): number =>
    simulate(game, wholeBurst(limit.hunts * factor), CHECKED_SECONDS).throttled[limit.direction];
  const [below, above] = [throttledAt(1 - MARGIN), throttledAt(1 + MARGIN)];
  if (below === 0 && above > 0) return;
  throw new Error(`${nameOf(limit)}: ${below} calls throttled below the computed limit, ${above} above`);
};

const limitRows = (game: RecordedGame): Row[] => {
  const limits = limitsOf(game, wholeBurst).slice(0, LIMITS_SHOWN);
  const [first] = limits;
  if (first === undefined) throw new Error("no partition has a load");
  checkLimit(game, first);
  const alone = limitsOf(game, huntRates);
  return limits.map((limit) => {
    const same = alone.find(({ direction, kind }) => direction === limit.direction && kind === limit.kind);
    return {
      shards: game.shards,
      partition: nameOf(limit),
      "full at hunts a second": Math.round(limit.hunts),
      "by hunts alone": same === undefined ? "" : Math.round(same.hunts),
    };
  });
};

/** The units of the table and its indexes for a million players, if nothing is throttled. */
const placeRows = (game: RecordedGame): Row[] =>
  [...placeLoads(game, wholeBurst(HUNTS))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([place, { read, write }]) => ({
      shards: game.shards,
      place,
      "reads a second": formatNumber(read),
      "writes a second": formatNumber(write),
    }));

/** The number of starved zombies that are not swept yet at which reading them for counts fills `ZOMBIES#%`. */
const unsweptRow = ({ shards }: RecordedGame, perStarved: number): Row => {
  const { "GET /game": game = 0, "GET /live": live = 0 } = wholeBurst(HUNTS);
  // In a quick run too few zombies have starved to add a read unit.
  const full = (perSecond: number): string =>
    perStarved === 0 ? "not measured" : formatNumber((LIMITS.read * shards) / (perSecond * perStarved));
  return {
    shards,
    "starved, not swept, that fill ZOMBIES#% by GET /game": full(game),
    // It reads the counts again after every new event.
    "also by GET /live, during hunts": full(game + live),
  };
};

/** Fails if a target is missed. @param quick whether a few seconds are enough */
export const bench: Bench = async (quick) => {
  const plan = quick ? QUICK : FULL;
  const operations: Row[] = [];
  const scenarios: Row[] = [];
  const places: Row[] = [];
  const limits: Row[] = [];
  const unswept: Row[] = [];
  const targets: Target[] = [];
  let perStarved: number | undefined;
  for (const shards of plan.shards) {
    const game = await record(shards, plan);
    // Measured with one shard, because rounding up to whole units distorts it least there.
    perStarved ??= game.perStarved;
    operations.push(...operationRows(game));
    limits.push(...limitRows(game));
    unswept.push(unsweptRow(game, perStarved));
    places.push(...placeRows(game));
    const hasTargets = shards === SHARDS;
    for (const [scenario, rates] of Object.entries(SCENARIOS)) {
      const seconds = hasTargets ? plan.targetSeconds : plan.seconds;
      const { requests, failed, throttled, conflicts } = simulate(game, rates, seconds);
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
    }
  }
  return {
    what:
      `a million players against a model of DynamoDB: ${formatNumber(LIMITS.write)} writes and ` +
      `${formatNumber(LIMITS.read)} reads a second of a partition, and of Lambda's environments, each of which reads ` +
      `the game item for display once a second; seed ${SEED}, ` +
      `${plan.targetSeconds} s with 16 shards, ${plan.seconds} s with fewer`,
    tables: [operations, scenarios, limits, places, unswept],
    targets,
    met: allMet(targets),
  };
};
