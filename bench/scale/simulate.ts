/** Simulates traffic against the model of DynamoDB, with the retries of the store and of the SDK. */
import { RETRY_RESERVE_MS } from "../../lib/store/commit.ts";
import type { Rates } from "../../scripts/cost/trafficModel.ts";
import { defaultSettings } from "../../scripts/project/functions.ts";
import { type Environment, Environments, freeAt, keepShown } from "./environments.ts";
import { BUSY_MS, type Direction, Partitions } from "./partitions.ts";
import { makeReplay, type Random, type Recipe, type Replay, type Step } from "./requests.ts";

/** The duration of a read. A write takes {@link BUSY_MS}. */
const READ_MS = 5;

/** The store's pause before a retry, like `fullJitter` in lib/store/decide.ts, and the time limit of a request. */
const storePause = (tries: number, { fraction }: Random): number =>
  fraction() * Math.min(500, 10 * 2 ** tries);
const STORE_GIVES_UP_MS = defaultSettings().timeout * 1_000 - RETRY_RESERVE_MS;
/** The SDK's pause after a throttled call, and its number of attempts. */
const sdkPause = (tries: number, { fraction }: Random): number =>
  fraction() * Math.min(20_000, 500 * 2 ** tries);
const SDK_TRIES = 3;

export interface Simulated {
  requests: number;
  /** The number of requests that failed after all retries. */
  failed: number;
  throttled: Record<Direction, number>;
  /** The percentage of transaction attempts that were rejected because an item was busy. */
  conflicts: number;
}

/** The recordings of a game with this number of shards. */
export interface RecordedGame {
  shards: number;
  recipes: ReadonlyMap<string, readonly Recipe[]>;
  random: Random;
}

interface Request {
  operation: string;
  environment: Environment;
  steps: Step[];
  replay: Replay;
  begun: number;
  tries: number;
}

interface Event {
  time: number;
  run: (now: number) => void;
}

/** Simulates traffic. @throws Error if an operation was not recorded, or the number of requests is implausible */
export const simulate = (
  { shards, recipes, random }: RecordedGame,
  rates: Rates,
  seconds: number,
): Simulated => {
  const partitions = new Partitions();
  const environments = new Environments();
  const end = seconds * 1_000;
  let [requests, failed, attempts, conflicts] = [0, 0, 0, 0];
  /** The events in each millisecond. */
  const schedule: Event[][] = Array.from({ length: end }, () => []);
  const at = (time: number, run: Event["run"]): void => {
    schedule[Math.floor(time)]?.push({ time, run });
  };

  const finish = ({ operation, environment, begun }: Request, now: number): void =>
    at(freeAt(begun, now), () => environments.free(operation, environment));
  const fail = (request: Request, now: number): void => {
    failed += 1;
    finish(request, now);
  };
  const retry = (request: Request, now: number, pause: number): void => {
    request.tries += 1;
    if (now + pause - request.begun > STORE_GIVES_UP_MS) fail(request, now);
    else at(now + pause, (then) => advance(request, then));
  };
  const finishStep = (request: Request, now: number, took: number): void => {
    request.steps.shift();
    request.tries = 0;
    at(now + took, (then) => advance(request, then));
  };
  const consume = ({ replay }: Request, direction: Direction, uses: Step["uses"], now: number): boolean => {
    const wanted = new Map<string, number>();
    for (const { loads } of uses)
      for (const load of loads) {
        const partition = replay.partitionOf(load);
        if (partition !== null) wanted.set(partition, (wanted.get(partition) ?? 0) + load.units);
      }
    return partitions.consume(direction, wanted, now);
  };
  const read = (request: Request, { uses }: Step, now: number): void => {
    const { environment } = request;
    // Each read is a separate call. Only throttled reads are repeated.
    const rest = uses.filter((use) => {
      if (use.isShownGame && now < environment.shownUntil) return false;
      if (!consume(request, "read", [use], now)) return true;
      if (use.isShownGame) keepShown(environment, now);
      return false;
    });
    request.steps[0] = { kind: "read", uses: rest };
    if (rest.length === 0) finishStep(request, now, READ_MS);
    else if (request.tries + 1 < SDK_TRIES) retry(request, now, sdkPause(request.tries, random));
    else fail(request, now);
  };
  const write = (request: Request, { kind, uses }: Step, now: number): void => {
    const items = uses.flatMap((use) => request.replay.itemOf(use) ?? []);
    // In this model a rejected write consumes no units.
    const isBusy = partitions.isBusy(items, now);
    if (kind === "transaction") {
      attempts += 1;
      if (isBusy) conflicts += 1;
    }
    if (isBusy || !consume(request, "write", uses, now)) {
      retry(request, now, storePause(request.tries, random));
    } else {
      if (kind === "transaction") partitions.keepBusy(items, now);
      finishStep(request, now, BUSY_MS);
    }
  };
  const advance = (request: Request, now: number): void => {
    const [step] = request.steps;
    if (step === undefined) finish(request, now);
    else if (step.kind === "read") read(request, step, now);
    else write(request, step, now);
  };

  for (const [operation, perSecond] of Object.entries(rates)) {
    const recorded = recipes.get(operation) ?? [];
    const pause = (): number => (-Math.log(1 - random.fraction()) / perSecond) * 1_000;
    let arrived = 0;
    for (let begun = pause(); begun < end; begun += pause()) {
      const recipe = recorded[random.below(recorded.length)];
      if (recipe === undefined) throw new Error(`${operation} was not recorded`);
      arrived += 1;
      at(begun, (now) =>
        advance(
          {
            operation,
            environment: environments.take(operation),
            steps: [...recipe.steps],
            replay: makeReplay(shards, random),
            begun,
            tries: 0,
          },
          now,
        ),
      );
    }
    const expected = perSecond * seconds;
    if (Math.abs(arrived - expected) > 6 * Math.sqrt(expected) + 6) {
      throw new Error(`${arrived} requests of ${operation} arrived, about ${expected} were expected`);
    }
    requests += arrived;
  }
  for (const events of schedule) {
    events.sort((one, other) => one.time - other.time);
    // The loop also runs events that are added to the current millisecond.
    for (const { time, run } of events) run(time);
  }
  return {
    requests,
    failed,
    throttled: partitions.throttled,
    conflicts: (conflicts / Math.max(1, attempts)) * 100,
  };
};
