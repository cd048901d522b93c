/** Runs the local functions with the limits of an AWS account: concurrent executions, and cold starts. */
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";

export type Handler = (event: unknown, context: Context) => Promise<unknown>;

export interface Limits {
  /** How many functions may run at once. */
  concurrency: number;
  /** How long a new execution environment takes to start, in milliseconds. */
  coldStartMs: number;
}

/** What the gateway answers if Lambda has refused to run a function (docs/api.md, "Responses of the gateway"). */
const SERVICE_UNAVAILABLE = {
  statusCode: 503,
  headers: { "content-type": "application/json" },
  body: '{"message":"Service Unavailable"}',
};

/** Whether an event is a request to the gateway. */
export const isHttpRequest = (event: unknown): event is APIGatewayProxyEventV2 =>
  typeof event === "object" && event !== null && "requestContext" in event;

/**
 * Returns a function that limits handlers, all together. An execution environment serves one event at a time; an event
 * that finds none of its function free starts another one, which then stays. Lambda removes them after minutes without an
 * event; these stay until the end of the process.
 */
export const lambdaWith = ({ concurrency, coldStartMs }: Limits) => {
  let running = 0;
  return (handler: Handler): Handler => {
    let idle = 0;
    return async (event, context) => {
      if (running >= concurrency) {
        if (isHttpRequest(event)) return SERVICE_UNAVAILABLE;
        // The poller of a worker must see that the function did not run.
        throw new Error("Rate Exceeded: no execution environment is free");
      }
      running += 1;
      try {
        if (idle > 0) idle -= 1;
        else await new Promise((resolve) => setTimeout(resolve, coldStartMs));
        return await handler(event, context);
      } finally {
        running -= 1;
        idle += 1;
      }
    };
  };
};

/** Limits a handler as LAMBDA_CONCURRENCY and COLD_START_MS say; without them not at all. */
export const likeLambda = lambdaWith({
  concurrency: Number(process.env.LAMBDA_CONCURRENCY || Number.POSITIVE_INFINITY),
  coldStartMs: Number(process.env.COLD_START_MS || 0),
});
