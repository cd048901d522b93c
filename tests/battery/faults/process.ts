/**
 * A process that serves one request, with at most one fault at one of its calls: of the database, or of the queue. When
 * it dies, the calls in progress may still be carried out, and it makes no further calls.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** A call; `nth` counts those of the same name within one process. */
export interface Call {
  name: string;
  nth: number;
}

/** What a fault does beyond its own call. */
export interface Effect {
  /** The fault that later calls have, where it is possible. */
  lasts?: Fault;
  /** Whether the request cannot succeed; otherwise the client may retry the call. */
  breaks?: boolean;
  /** Whether an index or a replica lags: then a response may be outdated too. */
  lags?: "once" | "throughout";
}

/** Whether a fault lags enough to change the result of a setup whose players are read from an index. */
export const canDiffer = ({ changedByLag }: { changedByLag?: Effect["lags"] }, { lags }: Effect): boolean =>
  changedByLag !== undefined && (lags === "throughout" || lags === changedByLag);

// biome-ignore lint/suspicious/noExplicitAny: the input and the output of any operation
export type Any = any;

/** A call that is intercepted: a command before it is serialized and after its response is parsed, or messages. */
interface Intercepted {
  input: Any;
  execute: () => Promise<Any>;
  /** Executes it with another input. */
  executeWith: (input: object) => Promise<Any>;
}

/** A kind of fault, and the calls that can have it. */
export interface Fault extends Effect {
  fits: (name: string) => boolean;
  inject: (call: Intercepted) => Promise<Any>;
}

/** A fault at a call. */
export interface Injection {
  call: Call;
  fault: string;
  effect: Fault;
}

export const inWords = ({ call: { name, nth }, fault }: Injection): string =>
  `${fault} at "${name}" (${nth})`;

/** The result of a request whose process died. */
export const DIED = Symbol("died");

interface Process {
  calls: Call[];
  plan: Injection | null;
  wasInjected: boolean;
  /** The fault of every call from now on. */
  lasting: Fault | undefined;
  isDead: boolean;
  death: PromiseWithResolvers<typeof DIED>;
  /** The calls in progress. */
  underWay: Set<Promise<unknown>>;
}

const current = new AsyncLocalStorage<Process>();

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Makes the calling process die. */
export const die = (): Promise<never> => {
  const process = current.getStore();
  if (process !== undefined) {
    process.isDead = true;
    process.death.resolve(DIED);
  }
  return never();
};

/** Does work that continues after its process has died. */
export const outlive = async <T>(work: Promise<T>): Promise<T> => {
  const underWay = current.getStore()?.underWay;
  underWay?.add(work);
  try {
    return await work;
  } finally {
    underWay?.delete(work);
  }
};

/** Makes a call, with the fault that is planned for it. */
export const makeCall = async (name: string, call: Intercepted): Promise<Any> => {
  const process = current.getStore();
  if (process === undefined) return call.execute();
  if (process.isDead) return never();
  const nth = 1 + process.calls.filter((one) => one.name === name).length;
  process.calls.push({ name, nth });
  const { plan, lasting } = process;
  let fault = lasting?.fits(name) === true ? lasting : undefined;
  if (plan?.call.name === name && plan.call.nth === nth) {
    fault = plan.effect;
    process.wasInjected = true;
    process.lasting = plan.effect.lasts;
  }
  try {
    return await (fault === undefined ? call.execute() : fault.inject(call));
  } finally {
    // A dead process gets no result.
    if (process.isDead) await never();
  }
};

/** The time limit in milliseconds, of a request by default: short while the database is unavailable, to give up soon. */
export const timeLeft = (usual = 20_000): number => {
  const { lasting } = current.getStore() ?? {};
  return lasting === undefined || lasting.lags !== undefined ? usual : 1_000;
};

/** Runs work in a process, with at most one fault. @returns its result and its calls */
export const runProcess = async <T>(
  plan: Injection | null,
  work: () => Promise<T>,
): Promise<{ result: T | typeof DIED; calls: readonly Call[]; wasInjected: boolean }> => {
  const [calls, death, underWay] = [[], Promise.withResolvers<typeof DIED>(), new Set<Promise<unknown>>()];
  const alive = { wasInjected: false, lasting: undefined, isDead: false };
  const process: Process = { calls, plan, death, underWay, ...alive };
  const result = await Promise.race([current.run(process, work), death.promise]);
  while (underWay.size > 0) await Promise.allSettled(underWay);
  return { result, calls, wasInjected: process.wasInjected };
};
