/** The breaker: a service that fails again and again is left alone for a minute, and then tried once. */
import { MINUTE } from "../domain/time.ts";

/** So many failures in a row. */
const MOST_FAILURES = 20;
const LEFT_ALONE = MINUTE;

export interface Breaker {
  failed: () => void;
  worked: () => void;
  /** For how long the service is still left alone, in milliseconds; 0 when it is not. */
  rest: () => number;
  /** Whether it has not worked since it was left alone: then one message at a time is enough. */
  onTrial: () => boolean;
}

/** A breaker for one service. @param clock milliseconds since 1970 */
export const makeBreaker = (clock: () => number): Breaker => {
  let failures = 0;
  let until = 0;
  const rest = (): number => Math.max(0, until - clock());
  return {
    failed: () => {
      failures += 1;
      // What was under way when it was left alone says nothing new.
      if (failures >= MOST_FAILURES && rest() === 0) until = clock() + LEFT_ALONE;
    },
    worked: () => {
      failures = 0;
      until = 0;
    },
    rest,
    onTrial: () => failures >= MOST_FAILURES,
  };
};
