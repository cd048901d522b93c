/** The circuit breaker: a push service that keeps failing is skipped for a minute, then tested with one message. */
import { MINUTE } from "../domain/time.ts";

/** The number of consecutive failures that opens the circuit. */
const MAX_FAILURES = 20;
const OPEN_MS = MINUTE;

export interface CircuitBreaker {
  recordFailure: () => void;
  recordSuccess: () => void;
  /** How long the circuit stays open, in milliseconds; 0 if it is closed. */
  remainingMs: () => number;
  /** Whether the circuit has opened and no message has succeeded since: send one at a time. */
  hasTripped: () => boolean;
}

/** A circuit breaker for one push service. @param clock returns milliseconds since 1970 */
export const makeCircuitBreaker = (clock: () => number): CircuitBreaker => {
  let failures = 0;
  let until = 0;
  const remainingMs = (): number => Math.max(0, until - clock());
  return {
    recordFailure: () => {
      failures += 1;
      // Messages in flight when the circuit opened do not extend it.
      if (failures >= MAX_FAILURES && remainingMs() === 0) until = clock() + OPEN_MS;
    },
    recordSuccess: () => {
      failures = 0;
      until = 0;
    },
    remainingMs,
    hasTripped: () => failures >= MAX_FAILURES,
  };
};
