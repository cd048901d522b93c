/** The pace: how many messages may be under way at once, to one push service and in all. */

/** What a service is to take in a second, when there is so much. */
const TARGET_RATE = 5_000;
const FEWEST = 16;
const MOST = 256;
const MOST_IN_ALL = 512;
/** The last of all are kept for services that have few under way, so that two that hang do not hold up a third. */
const KEPT = 64;

/** What is known of a service, and what it is to get. */
export interface PoolState {
  /** The shortest so far of a connection that was open before, in milliseconds; `undefined` before any. */
  roundTrip: number | undefined;
  /** How many connections are open, under way or idle. */
  open: number;
  /** How many messages came through since the first was opened. */
  answered: number;
  /** How many wait. */
  waiting: number;
}

/**
 * How many messages may be under way to one service: as many as the rate needs at its distance. But a further
 * connection costs a handshake: so none beyond a quarter of what waits; and one more at most for each message that
 * came through, for the first round trips are long while this process itself is busy with handshakes.
 */
export const maxInFlight = ({ roundTrip = 0, open, answered, waiting }: PoolState): number => {
  const wanted = Math.ceil((TARGET_RATE * roundTrip) / 1_000);
  const worthwhile = Math.min(FEWEST + answered, Math.ceil(waiting / 4));
  return Math.max(FEWEST, Math.min(MOST, wanted, Math.max(open, worthwhile)));
};

/** Whether a service that has so many under way may have one more, when there are so many in all. */
export const hasCapacity = (underWay: number, inAll: number): boolean =>
  inAll < (underWay < FEWEST ? MOST_IN_ALL : MOST_IN_ALL - KEPT);
