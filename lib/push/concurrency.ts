/** Concurrency limits: how many messages may be in flight, to one push service and in total. */

/** Messages per second to one service. */
const TARGET_RATE = 5_000;
const MIN_PER_SERVICE = 16;
const MAX_PER_SERVICE = 256;
const MAX_TOTAL = 512;
/** Messages reserved for services with few in flight, so that two services that hang do not block a third. */
const RESERVED = 64;

/** The state of the connection pool of one service. */
export interface PoolState {
  /** Responses since the pool was made, or since it last closed its connections because it had not been used. */
  answered: number;
  /** The shortest round trip on an open connection in that time, in milliseconds; `undefined` before the first. */
  roundTrip: number | undefined;
  /** Open connections, in use or idle. */
  open: number;
  /** Waiting messages. */
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
