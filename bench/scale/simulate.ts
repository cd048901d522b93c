/** Plays traffic against the model of DynamoDB, request by request, with the retries of the store and of its client. */
import { BUSY, makePartitions, type Partitions } from "./partitions.ts";
import { makeQueue } from "./queue.ts";
import type { Random } from "./random.ts";
import { type Move, movesOf, type Recipe } from "./requests.ts";

/** Milliseconds that a read takes; a write takes as long as its items are busy. */
const READ_TAKES = 5;
/** Between two batches of work that goes on by itself. */
const BETWEEN_BATCHES = 20;

/** As `fullJitter` of lib/store/decide.ts has it, and the time after which a call gives up. */
const pauseOfStore = (tries: number, { part }: Random): number => part() * Math.min(500, 10 * 2 ** tries);
const GIVES_UP_AFTER = 18_500;
/** The client's own pause after a throttled call, and how often it tries. */
const pauseOfClient = (tries: number, { part }: Random): number =>
  part() * Math.min(20_000, 500 * 2 ** tries);
const CLIENT_TRIES = 4;

/** What comes: so many a second of each operation, and work that begins its next batch when the last is done. */
export interface Traffic {
  perSecond: Readonly<Record<string, number>>;
  oneByOne?: readonly string[];
}

export interface Simulated extends Pick<Partitions, "peaks" | "throttled" | "totals"> {
  /** Requests that came, of each operation. */
  begun: Record<string, number>;
  done: Record<string, number>;
  /** Those that gave up: the caller was told to come again. */
  refused: number;
  /** Tries of transactions, and how many of those met a busy item. */
  transactions: number;
  conflicts: number;
  /** Of what kind those items were. */
  busy: Record<string, number>;
  /** Everything that happened: arrivals, and each try of each step. */
  events: number;
}

interface Request {
  operation: string;
  moves: readonly Move[];
  at: number;
  begun: number;
  next: number;
  tries: number;
  goesOn: boolean;
}

interface Arrival {
  at: number;
  comes: string;
}

export interface World {
  shards: number;
  recipes: ReadonlyMap<string, readonly Recipe[]>;
  random: Random;
}

/** @throws Error when an operation was not recorded */
export const simulate = (
  { shards, recipes, random }: World,
  traffic: Traffic,
  seconds: number,
): Simulated => {
  const partitions = makePartitions();
  const queue = makeQueue<Request | Arrival>();
  const end = seconds * 1_000;
  const result: Simulated = {
    begun: {},
    done: {},
    refused: 0,
    transactions: 0,
    conflicts: 0,
    busy: {},
    events: 0,
    peaks: partitions.peaks,
    throttled: partitions.throttled,
    totals: partitions.totals,
  };
  const count = (of: Record<string, number>, operation: string): void => {
    of[operation] = (of[operation] ?? 0) + 1;
  };

  const begin = (operation: string, at: number, goesOn: boolean): void => {
    const known = recipes.get(operation) ?? [];
    const recipe = known[random.below(known.length)];
    if (recipe === undefined) throw new Error(`${operation} was not recorded`);
    count(result.begun, operation);
    const moves = movesOf(recipe, shards, random);
    queue.push({ operation, moves, at, begun: at, next: 0, tries: 0, goesOn });
  };
  const arrival = (comes: string, after: number): void => {
    const rate = (traffic.perSecond[comes] ?? 0) / 1_000;
    if (rate > 0) queue.push({ comes, at: after - Math.log(1 - random.part()) / rate });
  };

  const refuse = ({ operation, goesOn }: Request, now: number): void => {
    result.refused += 1;
    if (goesOn) begin(operation, now + BETWEEN_BATCHES, true);
  };
  const again = (request: Request, now: number, pause: number): void => {
    request.tries += 1;
    request.at = now + pause;
    if (request.at - request.begun <= GIVES_UP_AFTER) queue.push(request);
    else refuse(request, now);
  };
  const goOn = (request: Request, now: number, takes: number): void => {
    request.next += 1;
    request.tries = 0;
    request.at = now + takes;
    if (request.next < request.moves.length) {
      queue.push(request);
      return;
    }
    count(result.done, request.operation);
    if (request.goesOn) begin(request.operation, request.at + BETWEEN_BATCHES, true);
  };

  const readAll = (request: Request, move: Move, now: number): void => {
    // Each is a call of its own: those that found room are not made again.
    const left = move.uses.filter((use) => !partitions.take("read", [use], now));
    if (left.length === 0) {
      goOn(request, now, READ_TAKES);
      return;
    }
    request.moves = request.moves.with(request.next, { kind: "read", uses: left });
    if (request.tries + 1 < CLIENT_TRIES) again(request, now, pauseOfClient(request.tries, random));
    else refuse(request, now);
  };
  const writeAll = (request: Request, { kind, uses }: Move, now: number): void => {
    if (kind === "transaction") result.transactions += 1;
    // Refused before anything is written: it costs no units here.
    const busy = partitions.busyOne(uses, now);
    if (busy !== undefined) {
      if (kind === "transaction") {
        result.conflicts += 1;
        count(result.busy, busy);
      }
      again(request, now, pauseOfStore(request.tries, random));
      return;
    }
    if (!partitions.take("write", uses, now)) {
      again(request, now, pauseOfStore(request.tries, random));
      return;
    }
    if (kind === "transaction") partitions.hold(uses, now);
    goOn(request, now, BUSY);
  };

  for (const operation of Object.keys(traffic.perSecond)) arrival(operation, 0);
  for (const operation of traffic.oneByOne ?? []) begin(operation, 0, true);
  for (let next = queue.take(); next !== undefined && next.at < end; next = queue.take()) {
    result.events += 1;
    if ("comes" in next) {
      begin(next.comes, next.at, false);
      arrival(next.comes, next.at);
      continue;
    }
    const move = next.moves[next.next];
    if (move === undefined) goOn(next, next.at, 0);
    else if (move.kind === "read") readAll(next, move, next.at);
    else writeAll(next, move, next.at);
  }
  return result;
};
