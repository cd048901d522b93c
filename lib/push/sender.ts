/** The sender: what outlives a delivery, so that the next one finds connections open and knows whom to leave alone. */
import type { buildConnector } from "undici";
import type { Lane } from "./connectionPool.ts";
import type { Resolver } from "./connector.ts";

export interface Sender {
  /** By service, and by all else that a connection depends on. */
  lanes: Map<string, Lane>;
  /** How many messages are under way in all. */
  underWay: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Resolves names; the operating system when absent. */
  resolve?: Resolver;
  /** Makes what connects; undici's own when absent. */
  build?: typeof buildConnector;
}

/** A sender without any connection yet; a test may give it a clock and a network of its own. */
export const makeSender = (own: Partial<Pick<Sender, "clock" | "resolve" | "build">> = {}): Sender => ({
  lanes: new Map(),
  underWay: 0,
  clock: Date.now,
  ...own,
});

/** Lets go of every connection. */
export const closeSender = ({ lanes }: Sender): void => {
  for (const lane of lanes.values()) lane.close();
  lanes.clear();
};
