/** The wrapper of scheduled functions: one log line each, and a fault is thrown, so that it is counted as one. */
import type { Context } from "aws-lambda";
import { durationSince, log, loggable } from "../log.ts";
import { services as ownServices, type Services } from "./services.ts";

/** What scheduled work is given. */
export interface Run {
  services: Services;
  requestId: string;
  timeLeft: () => number;
}

export interface ScheduledHandler<T> {
  (event: unknown, context: Context): Promise<T>;
  /** The same handler with other services. */
  on: (services: Services) => ScheduledHandler<T>;
}

/** Makes a Lambda handler of scheduled work; what it returns is logged and returned. */
export const scheduled = <T extends Record<string, unknown>>(
  name: string,
  work: (run: Run) => Promise<T>,
): ScheduledHandler<T> => {
  const build = (choose: () => Services): ScheduledHandler<T> =>
    Object.assign(
      async (_event: unknown, context: Context): Promise<T> => {
        const started = performance.now();
        const request_id = context.awsRequestId;
        try {
          const timeLeft = () => context.getRemainingTimeInMillis();
          const result = await work({ services: choose(), requestId: request_id, timeLeft });
          const duration_ms = durationSince(started);
          log().info("scheduled", { request_id, name, duration_ms, ...result });
          return result;
        } catch (error) {
          log().error("fault", { request_id, name, error: loggable(error) });
          throw error;
        }
      },
      { on: (given: Services) => build(() => given) },
    );
  return build(ownServices);
};
