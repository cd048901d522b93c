/**
 * A process that serves one request and may die in it, between the store and the database: whatever it has under way
 * then is carried out or not, and nothing that it would have done afterwards is.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import { type Database, keyOfWrite } from "../../../lib/dynamodb/database.ts";
import { DatabaseBusy } from "../../../lib/dynamodb/errors.ts";
import type { Outbound, Queue } from "../../../lib/queue/queue.ts";
import { type Call, counter, type Effect, type Injection, isSame, type Nature, nameOf } from "./calls.ts";

/** Part of every injected error: no response may contain it. */
export const INNERMOST = "innermost words";

const BUSY = (): Error => new DatabaseBusy(`${INNERMOST}: throttled`);
const BROKEN = (): Error => new Error(`${INNERMOST}: it broke`);

/** What a call would do. */
interface Deed<T> {
  /** @param token another than the transaction's own */
  now: (token?: string) => Promise<T>;
  /** The same as it would have been answered a while ago; where that can be. */
  late?: (() => Promise<T>) | undefined;
}

/** A process while it serves a request. */
interface Life {
  /** What was called, in order. */
  calls: Call[];
  count: ReturnType<typeof counter>;
  plan: Injection | null;
  /** Whether its fault has come. */
  hasStruck: boolean;
  died: PromiseWithResolvers<typeof DIED>;
  isDead: boolean;
  /** Whether the database is away, and whether indexes are behind, from here on. */
  away: boolean;
  behind: boolean;
  /** Calls under way. */
  underWay: Set<Promise<unknown>>;
}

/** What is left of a request whose process died. */
export const DIED = Symbol("died");

const never = <T>(): Promise<T> => new Promise<T>(() => {});

const die = <T>(life: Life): Promise<T> => {
  life.isDead = true;
  life.died.resolve(DIED);
  return never();
};

interface Fault {
  fits: (call: Call) => boolean;
  strike: <T>(life: Life, deed: Deed<T>) => Promise<T>;
}

const any = (): boolean => true;
const ofDatabase = ({ nature }: Call): boolean => nature !== "message";
const writes = ({ nature }: Call): boolean => nature === "write" || nature === "transaction";
/** Whether a transaction leaves something by which it is known when it comes again. */
const isMarked = ({ nature, name }: Call): boolean =>
  nature === "transaction" && /INTERACTIONS#|LOGS#|#ONCE#/.test(name);
const leavesSomething = (call: Call): boolean => writes(call) || !ofDatabase(call);

/** The faults that a call can have. */
const FAULTS: Record<string, Fault> = {
  "dies before": { fits: any, strike: (life) => die(life) },
  "dies after": {
    fits: leavesSomething,
    async strike(life, { now }) {
      await now();
      return die(life);
    },
  },
  busy: {
    fits: ofDatabase,
    async strike() {
      throw BUSY();
    },
  },
  "response lost": {
    fits: writes,
    async strike(_life, { now }) {
      await now();
      throw BUSY();
    },
  },
  away: {
    fits: ofDatabase,
    async strike(life) {
      life.away = true;
      throw BUSY();
    },
  },
  "response lost, then away": {
    fits: writes,
    async strike(life, { now }) {
      await now();
      life.away = true;
      throw BUSY();
    },
  },
  "response lost, token forgotten": {
    fits: isMarked,
    async strike(_life, { now }) {
      await now(crypto.randomUUID());
      throw BUSY();
    },
  },
  broken: {
    fits: any,
    async strike() {
      throw BROKEN();
    },
  },
  "broken after": {
    fits: leavesSomething,
    async strike(_life, { now }) {
      await now();
      throw BROKEN();
    },
  },
  "lags once": {
    fits: ({ nature }) => nature === "late read",
    strike: (_life, { now, late = now }) => late(),
  },
  lags: {
    fits: ({ nature }) => nature === "late read",
    strike(life, { now, late = now }) {
      life.behind = true;
      return late();
    },
  },
};

/** The faults that fit a call. */
export const faultsAt = (call: Call): string[] =>
  Object.keys(FAULTS).filter((name) => FAULTS[name]?.fits(call) === true);

/** What a fault leaves open. */
export const effectOf = (fault: string): Effect => ({
  passes: !fault.startsWith("broken"),
  lasts: fault.endsWith("away"),
  lags: fault === "lags" ? "throughout" : fault === "lags once" ? "once" : "never",
});

const current = new AsyncLocalStorage<Life>();

/** How long a request has, for the process that serves it: when the database is away, it shall soon give up. */
export const timeLeft = (): number => (current.getStore()?.away === true ? 1_000 : 20_000);

const carryOut = async <T>(name: string, nature: Nature, deed: Deed<T>): Promise<T> => {
  const life = current.getStore();
  if (life === undefined) return deed.now();
  if (life.isDead) return never();
  const call = life.count(name, nature);
  life.calls.push(call);
  if (life.away && nature !== "message") throw BUSY();
  const { plan } = life;
  const fault = plan !== null && isSame(plan.call, call) ? FAULTS[plan.fault] : undefined;
  if (fault !== undefined) life.hasStruck = true;
  const tracked: Deed<T> = {
    async now(token) {
      const work = deed.now(token);
      life.underWay.add(work);
      try {
        return await work;
      } finally {
        life.underWay.delete(work);
      }
    },
    late: deed.late,
  };
  const usual = life.behind ? (tracked.late ?? tracked.now) : tracked.now;
  try {
    return await (fault === undefined ? usual() : fault.strike(life, tracked));
  } finally {
    // A dead process gets no result.
    if (life.isDead) await never();
  }
};

/** One client for a table, whichever process: what passes between the two is not this part's matter. */
export const openOnce = (): ((place: { table: string; endpoint: string }) => Database) => {
  const opened = new Map<string, Database>();
  return (place) => {
    const known = opened.get(place.table) ?? openDatabase(place);
    opened.set(place.table, known);
    return known;
  };
};

/**
 * A database as its processes meet it.
 * @param past the table as it was a while ago, for indexes that are behind
 */
export const mortal = (usual: Database, past: () => Database): Database => ({
  get(key, options) {
    const late = options?.consistent === false ? () => past().get(key, options) : undefined;
    const nature = late === undefined ? "read" : "late read";
    return carryOut(nameOf("get", [key]), nature, { now: () => usual.get(key, options), late });
  },
  getMany(keys, options) {
    const late = options?.consistent === false ? () => past().getMany(keys, options) : undefined;
    const nature = late === undefined ? "read" : "late read";
    return carryOut(nameOf("getMany", keys), nature, { now: () => usual.getMany(keys, options), late });
  },
  query(range, limit, from) {
    const late = range.consistent === true ? undefined : () => past().query(range, limit, from);
    const name = nameOf("query", [{ pk: range.pk, sk: range.index ?? "" }]);
    const nature = late === undefined ? "read" : "late read";
    return carryOut(name, nature, { now: () => usual.query(range, limit, from), late });
  },
  put: (item, expect) => carryOut(nameOf("put", [item]), "write", { now: () => usual.put(item, expect) }),
  extendUntil: (key, how) =>
    carryOut(nameOf("extendUntil", [key]), "write", { now: () => usual.extendUntil(key, how) }),
  transact: (all, token) =>
    carryOut(nameOf("transact", all.map(keyOfWrite)), "transaction", {
      now: (another = token) => usual.transact(all, another),
    }),
  execute(statement, options) {
    const [verb = ""] = statement.text("game").split(/\s/);
    const nature = verb === "SELECT" ? "read" : "write";
    return carryOut(`execute ${verb}`, nature, { now: () => usual.execute(statement, options) });
  },
});

/** A queue as its processes meet it. */
export const mortalQueue = (usual: Queue): Queue => ({
  send: (messages: readonly Outbound[]) =>
    carryOut(`send ${messages.map(({ message: { kind } }) => kind).join(", ")}`, "message", {
      now: () => usual.send(messages),
    }),
});

const settled = async ({ underWay }: Life): Promise<void> => {
  while (underWay.size > 0) await Promise.allSettled(underWay);
};

/** What a process came to, and what it had called. */
export interface ProcessResult<T> {
  result: T | typeof DIED;
  calls: readonly Call[];
  hasStruck: boolean;
}

/** Runs work in a process, with at most one fault. */
export const runProcess = async <T>(
  plan: Injection | null,
  work: () => Promise<T>,
): Promise<ProcessResult<T>> => {
  const life: Life = {
    calls: [],
    count: counter(),
    plan,
    hasStruck: false,
    died: Promise.withResolvers(),
    isDead: false,
    away: false,
    behind: false,
    underWay: new Set(),
  };
  const result = await Promise.race([current.run(life, work), life.died.promise]);
  await settled(life);
  return { result, calls: life.calls, hasStruck: life.hasStruck };
};
