/**
 * Turns at the database: concurrent operations wait for the scheduler before each call, so that only one call runs at
 * a time and the scheduler decides the order.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Database,
  type Expectation,
  keyOfWrite,
  type Range,
  type StoredItem,
  type Write,
} from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";

/** The places that a call reads or changes: an item, a whole partition, or a list of an index. */
export interface Touches {
  reads: readonly string[];
  writes: readonly string[];
  /** Counters that the call adds to: two additions have the same result in either order. */
  adds: readonly string[];
}

/** A call that waits for its turn. */
export interface Waiting {
  /** The index of its operation. */
  operation: number;
  /** The operation's letter, and the number of the call. */
  name: string;
  touches: Touches;
  /** The calls of the same operation that had ended when this one was made. */
  after: readonly string[];
}

interface Actor {
  /** How long before the other its request arrived, in milliseconds. */
  earlier: number;
  turn: (touches: Touches) => Promise<() => void>;
}

const actors = new AsyncLocalStorage<Actor>();

/** How long before the other the request of this operation arrived, in milliseconds. */
export const earlier = (): number => actors.getStore()?.earlier ?? 0;

const placeOf = ({ pk, sk }: Key): string =>
  // The slot of a counter is random, and all slots are read together.
  pk.startsWith("COUNT#") ? `${pk}\n` : `${pk}\n${sk}`;

const INDEXED: [RegExp, RegExp, string][] = [
  [/^PLAYER#.*\nPROFILE$/, /^(ROSTER|ZOMBIES|KILLS)#/, "lists of players"],
  [/^INTERACTIONS#/, /^INFECT/, "lists of infections"],
  [/^SECRET#.*\nSUBSCRIPTION#/, /^SECRET#SUBSCRIPTIONS/, "list of subscriptions"],
];

const listsWith = (place: string): string[] =>
  INDEXED.flatMap(([item, _, list]) => (item.test(place) ? [list] : []));

const read = (keys: readonly Key[]): Touches => ({ reads: keys.map(placeOf), writes: [], adds: [] });

/** The places that a page of a list reads. */
const readRange = ({ index, pk }: Range): Touches => {
  const lists = INDEXED.flatMap(([_, partition, list]) => (partition.test(pk) ? [list] : []));
  return { reads: index === undefined ? [`${pk}\n`] : lists, writes: [], adds: [] };
};

const written = (places: readonly string[]): string[] =>
  places.flatMap((place) => [place, ...listsWith(place)]);

/** The places that writes change. */
const transaction = (writes: readonly Write[]): Touches => {
  const places = (those: readonly Write[]) => those.map((write) => placeOf(keyOfWrite(write)));
  const conditional = writes.filter((write) => write.expect !== undefined);
  return {
    reads: places(conditional),
    writes: written(places(writes.filter((write) => "put" in write || "remove" in write || "set" in write))),
    adds: places(writes.filter((write) => "increase" in write)),
  };
};

// A partition includes all of its items; a list overlaps only with itself.
const overlap = (one: string, other: string): boolean =>
  one === other ||
  (one.endsWith("\n") && other.startsWith(one)) ||
  (other.endsWith("\n") && one.startsWith(other));

const anyOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => overlap(one, other)));

/** Whether the order of two calls is relevant. */
export const conflict = (one: Touches, other: Touches): boolean =>
  anyOverlap(one.writes, [...other.reads, ...other.writes, ...other.adds]) ||
  anyOverlap(other.writes, [...one.reads, ...one.adds]) ||
  anyOverlap(one.adds, other.reads) ||
  anyOverlap(other.adds, one.reads);

/** A call in words, for reports. */
export const inWords = ({ name, touches }: Waiting): string =>
  [
    name,
    ...Object.entries<readonly string[]>({ ...touches }).flatMap(([verb, places]) =>
      places.map((one) => `${verb} ${one}`),
    ),
  ]
    .join(", ")
    .replaceAll("\n", " ");

/** Wraps the database so that each call of an operation waits for its turn; other calls do not wait. */
export const inTurns = (db: Database): Database => {
  const turn = async <T>(touches: Touches, call: () => Promise<T>): Promise<T> => {
    const done = await actors.getStore()?.turn(touches);
    try {
      return await call();
    } finally {
      done?.();
    }
  };
  const putOf = (item: StoredItem, expect: Expectation | undefined): Write[] => [
    expect === undefined ? { put: item } : { put: item, expect },
  ];
  return {
    get: (key, options) => turn(read([key]), () => db.get(key, options)),
    getMany: (keys, options) => turn(read(keys), () => db.getMany(keys, options)),
    query: (range, limit, from) => turn(readRange(range), () => db.query(range, limit, from)),
    // None of the operations reads the whole table.
    scan: (limit, from) => db.scan(limit, from),
    put: (item, expect) => turn(transaction(putOf(item, expect)), () => db.put(item, expect)),
    extendUntil: (key, how) =>
      turn({ reads: [], writes: [placeOf(key)], adds: [] }, () => db.extendUntil(key, how)),
    transact: (writes, token) => turn(transaction(writes), () => db.transact(writes, token)),
    // None of the operations executes statements.
    execute: (statement, options) => db.execute(statement, options),
  };
};

/** An operation, and how long before the other its request arrived. */
export interface Run<T> {
  earlier: number;
  run: () => Promise<T>;
}

/** The letter that names an operation. */
export const letterOf = (which: number): string => String.fromCharCode(65 + which);

/** Chooses the next of the waiting calls. */
export type Choose = (waiting: readonly Waiting[]) => Waiting;

/** Longer than every pause between two calls of an operation. */
const TIMEOUT_MS = 20_000;

/** More calls than any pair of operations makes. */
const MAX_CALLS = 400;

/** Lets the callbacks run that are due. */
const runCallbacks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const within = async (event: Promise<void>, who: string): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} neither calls the database nor ends`)), TIMEOUT_MS);
  });
  await Promise.race([event, late]).finally(() => clearTimeout(timer));
};

/** Runs operations concurrently, call by call. @param choose chooses the next call when each waits or has ended */
export const interleave = async <T>(operations: readonly Run<T>[], choose: Choose): Promise<T[]> => {
  const waiting = new Map<Waiting, () => void>();
  const ended = operations.map(() => false);
  let wake = (): void => {};
  let inFlight: Promise<void> | undefined;
  const results = operations.map(({ earlier, run }, operation) => {
    const letter = letterOf(operation);
    let calls = 0;
    const endedCalls: string[] = [];
    const turn: Actor["turn"] = (touches) =>
      new Promise((resolve) => {
        calls += 1;
        const name = `${letter}${calls}`;
        const call = { operation, name, touches, after: [...endedCalls] };
        waiting.set(call, () => {
          waiting.delete(call);
          inFlight = new Promise((done) => {
            resolve(() => {
              endedCalls.push(name);
              done();
            });
          });
        });
        wake();
      });
    return actors.run({ earlier, turn }, run).finally(() => {
      ended[operation] = true;
      wake();
    });
  });
  const isIdle = (operation: number): boolean =>
    ended[operation] === true || [...waiting.keys()].some((call) => call.operation === operation);
  // Errors are thrown at the end.
  const all = Promise.allSettled(results);
  for (let calls = 0; ; calls += 1) {
    await runCallbacks();
    for (let operation = 0; operation < operations.length; operation += 1) {
      while (!isIdle(operation)) {
        const change = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await within(change, `operation ${letterOf(operation)}`);
        await runCallbacks();
      }
    }
    if (waiting.size === 0) break;
    if (calls === MAX_CALLS) throw new Error(`no end after ${MAX_CALLS} calls`);
    waiting.get(choose([...waiting.keys()]))?.();
    await inFlight;
  }
  await all;
  return Promise.all(results);
};
