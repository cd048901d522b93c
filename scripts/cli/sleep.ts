/** Waiting that can be ended. */
import { setTimeout } from "node:timers/promises";

/** Waits this long, in milliseconds, or until the signal says that it is enough. */
export const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    // It was ended: the same to whoever waits.
  }
};
