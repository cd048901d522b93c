/** A sleep that can be aborted. */
import { setTimeout } from "node:timers/promises";

/** Waits for a number of milliseconds, or until the signal aborts. */
export const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: callers check the signal themselves.
  }
};
