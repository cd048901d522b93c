/** The wrapper of scheduled functions. It writes one log line per run, and rethrows errors so that Lambda counts them. */
import type { Context } from "aws-lambda";
import { invocationLogFields, runInvocation } from "../runtime/invocation.ts";
import { log } from "../runtime/log.ts";
import { services as ownServices, type Services } from "./services.ts";

/** The context of a run of a worker or of scheduled work. */
export interface WorkerContext {
  services: Services;
  requestId: string;
  /** Milliseconds until Lambda ends the run. */
  timeLeft: () => number;
}

export interface ScheduledHandler<T> {
  (event: unknown, context: Context): Promise<T>;
  /** The same handler with other services. */
  on: (services: Services) => ScheduledHandler<T>;
}

/** Makes a Lambda handler from scheduled work. The result of `work` is logged and returned. */
export const scheduled = <T extends Record<string, unknown>>(
  name: string,
  work: (run: WorkerContext) => Promise<T>,
): ScheduledHandler<T> => {
  const run = async (services: () => Services, context: Context): Promise<T> => {
    const request_id = context.awsRequestId;
    try {
      const timeLeft = () => context.getRemainingTimeInMillis();
      const result = await work({ services: services(), requestId: request_id, timeLeft });
      log.info("scheduled", { request_id, name, ...invocationLogFields(), ...result });
      return result;
    } catch (error) {
      log.error("fault", { request_id, name, error });
      throw error;
    }
  };
  const build = (choose: () => Services): ScheduledHandler<T> =>
    Object.assign((_event: unknown, context: Context) => runInvocation(() => run(choose, context)), {
      on: (given: Services) => build(() => given),
    });
  return build(ownServices);
};
