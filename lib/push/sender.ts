/** The sender: connection pools and circuit breakers that are kept between deliveries. */
import type { buildConnector } from "undici";
import type { Resolver } from "./connector.ts";
import type { Post } from "./request.ts";
import type { ResponseKind } from "./response.ts";

export interface Sender {
  /** By service and everything else that a connection depends on. */
  pools: Map<string, ConnectionPool>;
  /** The messages in flight to all services. */
  inFlight: number;
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Resolves names; by default the operating system. */
  resolve?: Resolver;
  /** Makes connectors; by default undici's. */
  build?: typeof buildConnector;
}

/** Makes a sender without connections. @param own replacements for tests */
export const makeSender = (own: Partial<Pick<Sender, "clock" | "resolve" | "build">> = {}): Sender => ({
  pools: new Map(),
  inFlight: 0,
  clock: Date.now,
  ...own,
});

/** Closes all connections. */
export const closeSender = ({ pools }: Sender): void => {
  for (const pool of pools.values()) pool.close();
  pools.clear();
};

/** The outcome of a message. */
export interface JobOutcome {
  /** `retry` may be retried, not before `wait` milliseconds. */
  result: ResponseKind;
  /** A status, or the kind of an error; without personal data. */
  why: string;
  /** For `retry`: milliseconds from `Retry-After`, or until the circuit breaker closes; 0 otherwise. */
  wait: number;
  /** Whether sending was attempted. */
  tried: boolean;
  /** Whether the subscription may belong to a different VAPID key than the one used. */
  isKeyMismatch?: true;
}

/** A message to send. */
export interface Job {
  /** Makes the request when it is sent. Throws when the keys of its receiver are invalid. */
  request: () => Omit<Post, "timeoutMs">;
  /** The deadline, on the clock of `performance.now`. */
  until: number;
  /** Called once, with the outcome. */
  settle: (outcome: JobOutcome) => void;
}

export interface ConnectionPool {
  /** Queues a message. */
  add: (job: Job) => void;
  /** Sends queued messages, up to the concurrency limit. */
  fill: () => void;
  /** Settles a message if it is still queued. */
  giveUp: (job: Job) => void;
  isIdle: () => boolean;
  close: () => void;
}
