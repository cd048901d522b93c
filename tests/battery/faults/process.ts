/**
 * A process that serves one request, with at most one fault at one of its calls. When it dies, the calls in progress
 * may still be carried out, and it makes no further calls.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Call, FaultKind, Injection } from "./calls.ts";

/** Part of every injected error: no response may contain it. */
export const INNERMOST = "innermost words";

/** The result of a request whose process died. */
export const DIED = Symbol("died");

interface Process {
  calls: Call[];
  plan: Injection | null;
  hasStruck: boolean;
  /** The fault of every call from now on. */
  lasting: string | undefined;
  isDead: boolean;
  death: PromiseWithResolvers<typeof DIED>;
  /** The calls in progress. */
  underWay: Set<Promise<unknown>>;
}

const current = new AsyncLocalStorage<Process>();

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Lets the process die that calls this. */
export const die = <T>(): Promise<T> => {
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
export const makeCall = async <F extends FaultKind, T>(
  { name, nature }: Omit<Call, "nth">,
  faults: Readonly<Record<string, F>>,
  carryOut: (fault: F | undefined) => Promise<T>,
): Promise<T> => {
  const process = current.getStore();
  if (process === undefined) return carryOut(undefined);
  // Calls in progress may need further requests.
  const isLost = (): boolean => process.isDead && nature !== "request";
  if (isLost()) return never();
  const nth = 1 + process.calls.filter((one) => one.name === name).length;
  const call = { name, nature, nth };
  process.calls.push(call);
  const lasting = faults[process.lasting ?? ""];
  let fault = lasting?.fits(call) === true ? lasting : undefined;
  const { plan } = process;
  if (plan?.call.name === name && plan.call.nth === nth) {
    fault = faults[plan.fault];
    process.hasStruck = true;
    process.lasting = plan.effect.lasts;
  }
  try {
    return await carryOut(fault);
  } finally {
    // A dead process gets no result.
    if (isLost()) await never();
  }
};

/** The time limit of a request in milliseconds: short, so that it soon gives up when the database is unavailable. */
export const timeLeft = (): number => {
  const { lasting = "lags" } = current.getStore() ?? {};
  return lasting === "lags" ? 20_000 : 1_000;
};

/** The result of a process, and its calls. */
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
  const process: Process = {
    calls: [],
    plan,
    hasStruck: false,
    lasting: undefined,
    isDead: false,
    death: Promise.withResolvers(),
    underWay: new Set(),
  };
  const { calls, death, underWay } = process;
  const result = await Promise.race([current.run(process, work), death.promise]);
  while (underWay.size > 0) await Promise.allSettled(underWay);
  return { result, calls, hasStruck: process.hasStruck };
};
