/** The connection pool of one push service, with its waiting messages. Pools do not block one another. */
import type { Client } from "undici";
import { SECOND } from "../domain/time.ts";
import { makeCircuitBreaker } from "./circuitBreaker.ts";
import { hasCapacity, maxInFlight, type PoolState } from "./concurrency.ts";
import { AddressNotAllowed } from "./connector.ts";
import { makeJobQueue } from "./jobQueue.ts";
import { errorCode, type Post, post } from "./request.ts";
import { classifyResponse, isKeyMismatch, isServerError, parseRetryAfter } from "./response.ts";
import type { ConnectionPool, Job, JobOutcome, Sender } from "./sender.ts";

/** The timeout of one message. */
export const MESSAGE_TIMEOUT_MS = 5 * SECOND;
/** With less time left, a message could still arrive after its timeout and be sent twice. */
const MIN_TIMEOUT_MS = 50;
/** Connections that were idle for longer may be broken unnoticed: Lambda freezes processes between calls. */
const MAX_IDLE_MS = 3 * SECOND;

const untried = (why: string, wait = 0): JobOutcome => ({ result: "retry", why, wait, tried: false });
const NO_TIME = untried("no time left");
/** The outcome of a message that can never be sent. */
export const permanentFailure = (why: string): JobOutcome => ({
  result: "failed",
  why,
  wait: 0,
  tried: false,
});

interface Service {
  sender: Sender;
  /** Makes a client, which connects when it is first used. */
  connect: () => Client;
}

/** Makes the connection pool of one push service. */
export const makeConnectionPool = ({ sender, connect }: Service): ConnectionPool => {
  const waiting = makeJobQueue<Job>();
  const breaker = makeCircuitBreaker(sender.clock);
  let idle: Client[] = [];
  let inFlight = 0;
  let lastUsed = sender.clock();
  let roundTrip: number | undefined;
  let answered = 0;

  const close = (): void => {
    for (const client of idle) void client.destroy();
    idle = [];
  };

  const exchange = async (request: Post): Promise<JobOutcome> => {
    const known = idle.pop();
    const client = known ?? connect();
    try {
      const started = performance.now();
      const { status, retryAfter } = await post(client, request);
      answered += 1;
      // The first exchange of a connection includes its handshake.
      if (known !== undefined) {
        roundTrip = Math.min(roundTrip ?? Number.POSITIVE_INFINITY, performance.now() - started);
      }
      idle.push(client);
      const result = classifyResponse(status);
      if (isServerError(status)) breaker.recordFailure();
      else if (result !== "retry") breaker.recordSuccess();
      const wait = result === "retry" ? parseRetryAfter(retryAfter, sender.clock()) : 0;
      return {
        result,
        why: String(status),
        wait,
        tried: true,
        ...(isKeyMismatch(status) ? { isKeyMismatch: true } : {}),
      };
    } catch (error) {
      void client.destroy();
      const why = errorCode(error);
      if (error instanceof AddressNotAllowed) return permanentFailure(why);
      breaker.recordFailure();
      return { result: "retry", why, wait: 0, tried: true };
    }
  };

  const attempt = async (job: Job): Promise<JobOutcome> => {
    const timeoutMs = Math.min(MESSAGE_TIMEOUT_MS, job.until - performance.now());
    if (timeoutMs < MIN_TIMEOUT_MS) return NO_TIME;
    let request: Omit<Post, "timeoutMs">;
    try {
      request = job.request();
    } catch {
      return permanentFailure("invalid keys");
    }
    return exchange({ ...request, timeoutMs });
  };

  const start = async (job: Job): Promise<void> => {
    inFlight += 1;
    sender.inFlight += 1;
    const outcome = await attempt(job);
    inFlight -= 1;
    sender.inFlight -= 1;
    lastUsed = sender.clock();
    job.settle(outcome);
    // Other pools may be waiting for capacity.
    for (const pool of sender.pools.values()) pool.fill();
  };

  const poolState = (): PoolState => ({
    roundTrip,
    open: inFlight + idle.length,
    answered,
    waiting: waiting.size(),
  });

  const fill = (): void => {
    while (waiting.size() > 0) {
      const openMs = breaker.remainingMs();
      if (openMs === 0) {
        const limit = breaker.hasTripped() ? 1 : maxInFlight(poolState());
        if (inFlight >= limit || !hasCapacity(inFlight, sender.inFlight)) return;
      }
      const job = waiting.next();
      if (job === undefined) return;
      if (openMs > 0) job.settle(untried("circuit open", openMs));
      else void start(job);
    }
  };

  return {
    add: (job) => {
      if (inFlight === 0 && waiting.size() === 0 && sender.clock() - lastUsed > MAX_IDLE_MS) {
        close();
        roundTrip = undefined;
        answered = 0;
      }
      waiting.add(job);
    },
    fill,
    giveUp: (job) => {
      if (waiting.remove(job)) job.settle(NO_TIME);
    },
    isIdle: () => inFlight + waiting.size() === 0,
    close,
  };
};
