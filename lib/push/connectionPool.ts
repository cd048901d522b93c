/** A lane: the messages for one push service, and its connections; what happens in it holds up no other. */

import type { Client } from "undici";
import { SECOND } from "../domain/time.ts";
import { makeCircuitBreaker } from "./circuitBreaker.ts";
import { hasCapacity, maxInFlight, type PoolState } from "./concurrency.ts";
import { AddressNotAllowed } from "./connector.ts";
import { encrypt } from "./encrypt.ts";
import { makeJobQueue } from "./jobQueue.ts";
import { errorCode, type Post, post } from "./request.ts";
import { classifyResponse, isKeyMismatch, isServerError, parseRetryAfter } from "./response.ts";
import type { ConnectionPool, Job, JobOutcome, Sender } from "./sender.ts";
import type { Signer } from "./vapid.ts";

/** For one message, in milliseconds. */
export const MESSAGE_TIMEOUT_MS = 5 * SECOND;
/** With less left, a message would be on its way when it is given up, and be sent twice: in milliseconds. */
const LEAST_PATIENCE = 50;
/** Connections that were idle for longer may be dead without a sign: between calls, a process can stand still. */
const MOST_IDLE = 3 * SECOND;

const untried = (why: string, wait = 0): JobOutcome => ({ result: "retry", why, wait, tried: false });
const NO_TIME = untried("no time left");
/** What is not even sent, and never can be. */
export const permanentFailure = (why: string): JobOutcome => ({
  result: "failed",
  why,
  wait: 0,
  tried: false,
});

interface Service {
  sender: Sender;
  sign: Signer;
  /** Makes a client, which connects when it is first used. */
  connect: () => Client;
}

/** A lane for one service. */
export const makeConnectionPool = ({ sender, sign, connect }: Service): ConnectionPool => {
  const waiting = makeJobQueue<Job>();
  const breaker = makeCircuitBreaker(sender.clock);
  let idle: Client[] = [];
  let underWay = 0;
  let lastUsed = sender.clock();
  let roundTrip: number | undefined;
  let answered = 0;

  const close = (): void => {
    for (const client of idle) void client.destroy();
    idle = [];
  };

  const sealed = ({ path, message, subscription, headers }: Job): Omit<Post, "timeoutMs"> => ({
    path,
    headers: { authorization: sign(), ...headers },
    body: encrypt(message, subscription),
  });

  const exchange = async (request: Post): Promise<JobOutcome> => {
    const known = idle.pop();
    const client = known ?? connect();
    try {
      const started = performance.now();
      const { status, retryAfter } = await post(client, request);
      answered += 1;
      // The first exchange of a connection has its handshake in it.
      if (known !== undefined) {
        roundTrip = Math.min(roundTrip ?? Number.POSITIVE_INFINITY, performance.now() - started);
      }
      idle.push(client);
      const result = classifyResponse(status);
      if (isServerError(status)) breaker.recordFailure();
      else if (result !== "retry") breaker.recordSuccess();
      const wait = result === "retry" ? parseRetryAfter(retryAfter, sender.clock()) : 0;
      return {
        ...{ result, why: String(status), wait, tried: true },
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
    const patience = Math.min(MESSAGE_TIMEOUT_MS, job.until - performance.now());
    if (patience < LEAST_PATIENCE) return NO_TIME;
    let request: Omit<Post, "timeoutMs">;
    try {
      request = sealed(job);
    } catch {
      return permanentFailure("keys of no use");
    }
    return exchange({ ...request, timeoutMs: patience });
  };

  const start = async (job: Job): Promise<void> => {
    underWay += 1;
    sender.inFlight += 1;
    const outcome = await attempt(job);
    underWay -= 1;
    sender.inFlight -= 1;
    lastUsed = sender.clock();
    job.settle(outcome);
    // Another lane may have been waiting for the room.
    for (const lane of sender.pools.values()) lane.fill();
  };

  const traffic = (): PoolState => ({
    roundTrip,
    open: underWay + idle.length,
    answered,
    waiting: waiting.size(),
  });

  const fill = (): void => {
    while (waiting.size() > 0) {
      const rest = breaker.remainingMs();
      if (rest === 0) {
        const most = breaker.isHalfOpen() ? 1 : maxInFlight(traffic());
        if (underWay >= most || !hasCapacity(underWay, sender.inFlight)) return;
      }
      const job = waiting.next();
      if (job === undefined) return;
      if (rest > 0) job.settle(untried("service left alone", rest));
      else void start(job);
    }
  };

  return {
    add: (job) => {
      if (underWay === 0 && waiting.size() === 0 && sender.clock() - lastUsed > MOST_IDLE) {
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
    isIdle: () => underWay + waiting.size() === 0,
    close,
  };
};
