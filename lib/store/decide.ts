/**
 * How a command is carried out: read what the rule needs, judge, write everything in one transaction on
 * condition that nothing read has moved. Who loses a race reads and judges again, and so hears the rule's
 * own answer.
 */
import { DomainError } from "../domain/domainError.ts";
import type { Database } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { type Changes, writesOf } from "./changes.ts";
import { commit, fullJitter, mapBusyToUnavailable, RETRY_RESERVE_MS, unavailable } from "./commit.ts";
import {
  type CommandResponse,
  type Decided,
  earlierResponse,
  type IdempotentRequest,
  responseWrite,
} from "./idempotency.ts";

/** What one attempt came to: the changes and the answer, or changes that go with a refusal. */
export type Decision =
  | { changes: Changes; response: CommandResponse }
  | { changes: Changes; error: DomainError };

export interface DecideOptions {
  idempotent?: IdempotentRequest | undefined;
  /** Milliseconds until the caller must have answered. */
  timeLeft: () => number;
  /** Milliseconds since 1970. */
  now: number;
  /** How many shards new entries of lists are spread over. */
  shards: () => number;
}

/**
 * Carries out a command: `attempt` reads and judges, and is called again whenever what it read has moved
 * before its changes were written. Whether the request has been answered before is looked up only where it is
 * refused, or its transaction is: the answer is kept in the transaction itself, on condition that there is none.
 * @param attempt is told whether an earlier try has lost: what that read may have been a moment old
 * @throws DomainError the rule's own; `key_reused`; `unavailable` when the database stays busy
 */
export const decide = async (
  db: Database,
  attempt: (again: boolean) => Promise<Decision>,
  { idempotent: once, timeLeft, now, shards }: DecideOptions,
): Promise<Decided> => {
  for (let tries = 0; ; tries += 1) {
    let decision: Decision;
    try {
      decision = await mapBusyToUnavailable(attempt(tries > 0));
    } catch (error) {
      // Refused perhaps for what this very request has done.
      const earlier = error instanceof DomainError ? await earlierResponse(db, once, now) : null;
      if (earlier !== null) return earlier;
      throw error;
    }
    if ("error" in decision) {
      const earlier = await earlierResponse(db, once, now);
      if (earlier !== null) return earlier;
    }
    try {
      const writes = await writesOf(decision.changes, shards());
      if (once !== undefined && "response" in decision)
        writes.push(responseWrite(once, decision.response, now));
      await commit(db, writes, timeLeft);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const earlier = await earlierResponse(db, once, now);
      if (earlier !== null) return earlier;
      if (timeLeft() < RETRY_RESERVE_MS) throw unavailable();
      if (tries > 0) await fullJitter(Math.min(tries, 4));
      continue;
    }
    if ("error" in decision) throw decision.error;
    return { response: decision.response, isNew: true };
  }
};
