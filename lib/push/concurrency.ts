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
  /** The shortest round trip so far on an open connection, in milliseconds; `undefined` before the first. */
  roundTrip: number | undefined;
  /** Open connections, in use or idle. */
  open: number;
  /** Responses since the first connection was opened. */
  answered: number;
  /** Waiting messages. */
  waiting: number;
}

/**
 * The maximal number of messages in flight to one service: as many as the target rate needs with this round trip. A further
 * connection costs a handshake, so there are at most a quarter as many connections as waiting messages, and each response
 * permits one more: early round trips are long because this process is busy with handshakes.
 */
export const maxInFlight = ({ roundTrip = 0, open, answered, waiting }: PoolState): number => {
  const needed = Math.ceil((TARGET_RATE * roundTrip) / 1_000);
  const maxOpen = Math.min(MIN_PER_SERVICE + answered, Math.ceil(waiting / 4));
  return Math.max(MIN_PER_SERVICE, Math.min(MAX_PER_SERVICE, needed, Math.max(open, maxOpen)));
};

/** Whether one more message may be sent. @param inFlight to this service @param total to all services */
export const hasCapacity = (inFlight: number, total: number): boolean =>
  total < (inFlight < MIN_PER_SERVICE ? MAX_TOTAL : MAX_TOTAL - RESERVED);
