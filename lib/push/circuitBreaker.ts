/** The breaker: a service that fails again and again is left alone for a minute, and then tried once. */
import { MINUTE } from "../domain/time.ts";

/** So many failures in a row. */
const MOST_FAILURES = 20;
const LEFT_ALONE = MINUTE;

export interface CircuitBreaker {
  recordFailure: () => void;
  recordSuccess: () => void;
  /** For how long the service is still left alone, in milliseconds; 0 when it is not. */
  remainingMs: () => number;
  /** Whether it has not worked since it was left alone: then one message at a time is enough. */
  isHalfOpen: () => boolean;
}

/** A breaker for one service. @param clock milliseconds since 1970 */
export const makeCircuitBreaker = (clock: () => number): CircuitBreaker => {
  let failures = 0;
  let until = 0;
  const rest = (): number => Math.max(0, until - clock());
  return {
    recordFailure: () => {
      failures += 1;
      // What was under way when it was left alone says nothing new.
      if (failures >= MOST_FAILURES && rest() === 0) until = clock() + LEFT_ALONE;
    },
    recordSuccess: () => {
      failures = 0;
      until = 0;
    },
    remainingMs: rest,
    isHalfOpen: () => failures >= MOST_FAILURES,
  };
};
