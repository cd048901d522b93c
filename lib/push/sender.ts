/** The sender: what outlives a delivery, so that the next one finds connections open and knows whom to leave alone. */

import type { buildConnector } from "undici";
import type { Subscription } from "../domain/push.ts";
import type { Resolver } from "./connector.ts";
import type { ResponseKind } from "./response.ts";

export interface Sender {
  /** By service, and by all else that a connection depends on. */
  pools: Map<string, ConnectionPool>;
  /** How many messages are under way in all. */
  inFlight: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Resolves names; the operating system when absent. */
  resolve?: Resolver;
  /** Makes what connects; undici's own when absent. */
  build?: typeof buildConnector;
}

/** A sender without any connection yet; a test may give it a clock and a network of its own. */
export const makeSender = (own: Partial<Pick<Sender, "clock" | "resolve" | "build">> = {}): Sender => ({
  pools: new Map(),
  inFlight: 0,
  clock: Date.now,
  ...own,
});

/** Lets go of every connection. */
export const closeSender = ({ pools: lanes }: Sender): void => {
  for (const lane of lanes.values()) lane.close();
  lanes.clear();
};

/** What became of a message, without whose it was. */
export interface JobOutcome {
  result: ResponseKind;
  why: string;
  wait: number;
  tried: boolean;
  /** Whether the push service knows the subscription by another key than the one that this was signed with. */
  isKeyMismatch?: true;
}

/** A message that waits for its turn. */
export interface Job {
  subscription: Subscription;
  path: string;
  message: Buffer;
  headers: Record<string, string>;
  /** On the clock of `performance.now`. */
  until: number;
  settle: (outcome: JobOutcome) => void;
}

export interface ConnectionPool {
  /** Takes a message; it is settled sooner or later. */
  add: (job: Job) => void;
  /** Starts as many as may be under way. */
  fill: () => void;
  /** Settles a message that still waits; nothing happens to one that does not. */
  giveUp: (job: Job) => void;
  isIdle: () => boolean;
  close: () => void;
}
