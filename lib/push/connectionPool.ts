/** The connection pools of a sender: one for each service, with its waiting messages. Pools do not block one another. */
import { buildConnector, Client } from "undici";
import { MINUTE, SECOND } from "../domain/time.ts";
import { AddressNotAllowed, guardedConnector, systemResolver } from "./connector.ts";
import { errorCode, MAX_HEADER_BYTES, type Post, post } from "./request.ts";
import { classifyResponse, isKeyMismatch, isServerError, parseRetryAfter } from "./response.ts";
import type { ConnectionPool, Job, JobOutcome, Sender } from "./sender.ts";

/** The timeout of one message. */
const MESSAGE_TIMEOUT_MS = 5 * SECOND;
/** With less time left, a message could still arrive after its timeout and be sent twice. */
const MIN_TIMEOUT_MS = 50;
/** Connections that were idle for longer may be broken unnoticed: Lambda freezes processes between calls. */
const MAX_IDLE_MS = 3 * SECOND;
/** Some services have a host for each region. */
const MAX_POOLS = 256;
/** A longer timer of Node.js fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The number of consecutive failures after which a service is skipped for OPEN_MS. */
const MAX_FAILURES = 20;
const OPEN_MS = MINUTE;

/** Messages per second to one service. */
const TARGET_RATE = 5_000;
const MIN_PER_SERVICE = 16;
const MAX_PER_SERVICE = 256;
const MAX_TOTAL = 512;
/** Messages reserved for services with few in flight, so that two services that hang do not block a third. */
const RESERVED = 64;

/** Starts the timer of a delivery. */
export const startTimer = (then: () => void, timeoutMs: number): NodeJS.Timeout =>
  setTimeout(then, Math.min(Math.max(timeoutMs, 0), MAX_TIMER_MS));

/** The circuit breaker: a service that keeps failing is skipped for a minute, then tested with one message. */
export const makeCircuitBreaker = (clock: () => number) => {
  let [failures, until] = [0, 0];
  const remainingMs = (): number => Math.max(0, until - clock());
  return {
    /** How long the circuit stays open, in milliseconds; 0 if it is closed. */
    remainingMs,
    /** Whether the circuit has opened and no message has succeeded since: send one at a time. */
    hasTripped: () => failures >= MAX_FAILURES,
    recordSuccess: () => {
      [failures, until] = [0, 0];
    },
    recordFailure: () => {
      failures += 1;
      // Messages in flight when the circuit opened do not extend it.
      if (failures >= MAX_FAILURES && remainingMs() === 0) until = clock() + OPEN_MS;
    },
  };
};

interface PoolState {
  /** Responses since the pool was made, or since it last closed its connections because it had not been used. */
  answered: number;
  /** The shortest round trip on an open connection in that time, in milliseconds; `undefined` before the first. */
  roundTrip: number | undefined;
  /** Open connections, in use or idle. */
  open: number;
  waiting: number;
}

/**
 * The maximum number of messages in flight to one service: as many as the target rate needs with this round trip, from
 * MIN_PER_SERVICE to MAX_PER_SERVICE. A new connection costs a handshake, so above MIN_PER_SERVICE, connections are opened
 * only up to a quarter of the number of waiting messages, and one for each response: early round trips are long because
 * this process is busy with handshakes.
 */
export const maxInFlight = ({ roundTrip = 0, open, answered, waiting }: PoolState): number => {
  const needed = Math.ceil((TARGET_RATE * roundTrip) / 1_000);
  const maxOpen = Math.min(MIN_PER_SERVICE + answered, Math.ceil(waiting / 4));
  return Math.max(MIN_PER_SERVICE, Math.min(MAX_PER_SERVICE, needed, Math.max(open, maxOpen)));
};

/** Whether one more message may be sent. @param inFlight to this service @param total to all services */
export const hasCapacity = (inFlight: number, total: number): boolean =>
  total < (inFlight < MIN_PER_SERVICE ? MAX_TOTAL : MAX_TOTAL - RESERVED);

const untried = (why: string, wait = 0): JobOutcome => ({ result: "retry", why, wait, tried: false });
const NO_TIME = untried("no time left");
/** The outcome of a message that can never be sent. */
export const permanentFailure = (why: string): JobOutcome => ({ ...untried(why), result: "failed" });

/** @param connect makes a client, which connects when it is first used */
const makePool = (sender: Sender, connect: () => Client): ConnectionPool => {
  const breaker = makeCircuitBreaker(sender.clock);
  const waiting = new Set<Job>();
  let order = waiting.values();
  let idle: Client[] = [];
  let inFlight = 0;
  let lastUsed = sender.clock();
  let roundTrip: number | undefined;
  let answered = 0;

  /** Removes and returns the first message. A new iterator for each would pass over all that were removed. */
  const next = (): Job | undefined => {
    let { value: job } = order.next();
    if (job === undefined) {
      order = waiting.values();
      job = order.next().value;
    }
    if (job !== undefined) waiting.delete(job);
    return job;
  };

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
      const mismatch = isKeyMismatch(status) ? ({ isKeyMismatch: true } as const) : {};
      return { result, why: String(status), wait, tried: true, ...mismatch };
    } catch (error) {
      void client.destroy();
      const why = errorCode(error);
      if (error instanceof AddressNotAllowed) return permanentFailure(why);
      breaker.recordFailure();
      return { ...untried(why), tried: true };
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

  const fill = (): void => {
    while (waiting.size > 0) {
      const openMs = breaker.remainingMs();
      if (openMs === 0) {
        const state = { roundTrip, open: inFlight + idle.length, answered, waiting: waiting.size };
        const limit = breaker.hasTripped() ? 1 : maxInFlight(state);
        if (inFlight >= limit || !hasCapacity(inFlight, sender.inFlight)) return;
      }
      const job = next();
      if (job === undefined) return;
      if (openMs > 0) job.settle(untried("circuit open", openMs));
      else void start(job);
    }
  };

  const isIdle = (): boolean => inFlight + waiting.size === 0;

  return {
    add: (job) => {
      if (isIdle() && sender.clock() - lastUsed > MAX_IDLE_MS) {
        close();
        roundTrip = undefined;
        answered = 0;
      }
      waiting.add(job);
    },
    fill,
    giveUp: (job) => {
      if (waiting.delete(job)) job.settle(NO_TIME);
    },
    isIdle,
    close,
  };
};

/**
 * The connection pool of a service.
 * @param options.exempt whether any address is allowed
 * @param options.ca certificates (PEM) to trust instead of the default ones
 * @param options.owner identifies the VAPID keys or the webhook whose connections are not shared with others
 */
export const poolOf = (
  sender: Sender,
  { origin }: URL,
  { exempt, ca, owner }: { exempt: boolean; ca: string | undefined; owner: readonly string[] },
): ConnectionPool => {
  // The name contains everything that a connection depends on.
  const name = JSON.stringify([origin, exempt, ca, ...owner]);
  const known = sender.pools.get(name);
  if (known !== undefined) return known;
  for (const [other, pool] of sender.pools) {
    if (sender.pools.size < MAX_POOLS) break;
    if (!pool.isIdle()) continue;
    pool.close();
    sender.pools.delete(other);
  }
  const { resolve = systemResolver, build = buildConnector } = sender;
  const connect = guardedConnector({ build, resolve, exempt, ca, timeoutMs: MESSAGE_TIMEOUT_MS });
  // The timeout of each message replaces the timers of undici.
  const settings = { connect, maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 0, bodyTimeout: 0 };
  const pool = makePool(sender, () => new Client(origin, settings));
  sender.pools.set(name, pool);
  return pool;
};
