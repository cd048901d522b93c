/**
 * The log fields of one invocation of a function. Invocations that run concurrently in one process, as on a developer's
 * machine, are tracked separately.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { sha256 } from "./sha256.ts";

interface Invocation {
  /** In milliseconds of `performance.now`. */
  started: number;
  isFirst: boolean;
  read: number;
  write: number;
  player?: string;
  /** When the request arrived by the service's clock, in milliseconds since 1970. */
  now?: number;
}

const running = new AsyncLocalStorage<Invocation>();
let isFirst = true;

/** Runs the work of one invocation. Everything that it calls belongs to the invocation. */
export const runInvocation = <T>(work: () => T): T => {
  const invocation = { started: performance.now(), isFirst, read: 0, write: 0 };
  isFirst = false;
  return running.run(invocation, work);
};

/**
 * Returns a function that checks whether its caller belongs to the current invocation. All code outside of invocations
 * counts as one invocation.
 */
export const sameInvocationCheck = (): (() => boolean) => {
  const invocation = running.getStore();
  return () => running.getStore() === invocation;
};

/** Adds the capacity units that a database call consumed. It does nothing outside of an invocation. */
export const addCapacity = (what: "read" | "write", units: number): void => {
  const invocation = running.getStore();
  if (invocation !== undefined) invocation[what] += units;
};

/** Sets when the request of this invocation arrived, in milliseconds since 1970. */
export const setInvocationTime = (now: number): void => {
  const invocation = running.getStore();
  if (invocation !== undefined) invocation.now = now;
};

/** When the current request arrived, in milliseconds since 1970; outside of an invocation, the present. */
export const invocationTime = (): number => running.getStore()?.now ?? Date.now();

/** Enough characters of the hash to distinguish players. */
const PLAYER_HASH_LENGTH = 12;

/** Sets the player in the log line, as a hash, because an id identifies a person. */
export const setInvocationPlayer = (playerId: string): void => {
  const invocation = running.getStore();
  if (invocation === undefined) return;
  invocation.player = sha256(playerId).slice(0, PLAYER_HASH_LENGTH);
};

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;

/**
 * The log fields of the current invocation: milliseconds and capacity units so far, rounded to a tenth, whether it is
 * the first of its process, and the player.
 * @throws Error outside of an invocation
 */
export const invocationLogFields = () => {
  const invocation = running.getStore();
  if (invocation === undefined) throw new Error("there is no invocation to log");
  const { started, isFirst, read, write, player } = invocation;
  return {
    duration_ms: roundToTenth(performance.now() - started),
    cold_start: isFirst,
    read_units: roundToTenth(read),
    write_units: roundToTenth(write),
    ...(player === undefined ? {} : { player }),
  };
};
