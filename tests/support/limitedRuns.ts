/** A test environment whose runs end after a number of transactions, because their time is up or their process dies. */
import { beforeEach } from "vitest";
import { SECOND } from "../../lib/domain/time.ts";
import { testEnvironment } from "./service.ts";

/** The limits, which a test may change. Before each test they are as here. */
const UNLIMITED = {
  /** How many transactions fit into a run before its time is up. */
  perRun: Number.POSITIVE_INFINITY,
  /** After how many transactions the process dies. */
  diesAfter: Number.POSITIVE_INFINITY,
  /** How many transactions the run has done. */
  used: 0,
};

export const limitedRuns = () => {
  const limits = { ...UNLIMITED };
  /** How much time a run has left, in milliseconds. */
  const timeLeft = (): number => (limits.used >= limits.perRun ? 2 * SECOND : 20 * SECOND);
  const s = testEnvironment({
    services: ({ queue }) => ({
      queue: {
        async send(messages) {
          await queue.send(messages);
          // The next run counts its own transactions.
          limits.used = 0;
        },
      },
    }),
  });
  beforeEach(() => {
    Object.assign(limits, UNLIMITED);
    s.timeLeft = timeLeft;
    s.beforeCall = (call) => {
      if (call !== "transact") return;
      limits.used += 1;
      if (limits.used > limits.diesAfter) throw new Error("the process was killed here");
    };
  });
  return { s, limits, timeLeft };
};
