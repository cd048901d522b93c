/**
 * One invocation of a function: what its line in the log says of it, whatever it was for. Those that run in one process
 * at once, as on one's own machine, are kept apart.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

interface Invocation {
  /** An instant of `performance.now`. */
  started: number;
  isFirst: boolean;
  read: number;
  write: number;
  player?: string;
}

const running = new AsyncLocalStorage<Invocation>();
let isFirst = true;

/** Runs the work of one invocation; all that it calls belongs to it, until it ends. */
export const runInvocation = <T>(work: () => T): T => {
  const invocation = { started: performance.now(), isFirst, read: 0, write: 0 };
  isFirst = false;
  return running.run(invocation, work);
};

/** Tells from now on whether whoever asks belongs to the invocation that this was asked in; outside of all is one too. */
export const sameInvocationCheck = (): (() => boolean) => {
  const asked = running.getStore();
  return () => running.getStore() === asked;
};

/** Counts what a call of the database took, in capacity units; outside of every invocation nobody asks. */
export const addCapacity = (what: "read" | "write", units: number): void => {
  const invocation = running.getStore();
  if (invocation !== undefined) invocation[what] += units;
};

/** So much of the hash tells players apart, and makes no line long. */
const SHOWN = 12;

/** Notes who is asking: by a hash, for an id leads to a name. */
export const setInvocationPlayer = (playerId: string): void => {
  const invocation = running.getStore();
  if (invocation === undefined) return;
  invocation.player = createHash("sha256").update(playerId).digest("base64url").slice(0, SHOWN);
};

const tenths = (value: number): number => Math.round(value * 10) / 10;

/**
 * What the line of the invocation says of it: milliseconds and capacity units so far, to a tenth, whether it is the first
 * of its process, and who asked.
 */
export const invocationLogFields = () => {
  const invocation = running.getStore();
  if (invocation === undefined) throw new Error("there is no invocation to tell of");
  const { started, isFirst, read, write, player } = invocation;
  return {
    duration_ms: tenths(performance.now() - started),
    cold_start: isFirst,
    read_units: tenths(read),
    write_units: tenths(write),
    ...(player === undefined ? {} : { player }),
  };
};
