/**
 * Runs commands: read, decide, write everything in one transaction on condition that nothing has changed since it was
 * read. On conflict, it reads and decides again, so that the later of two concurrent requests gets the rule's domain error.
 */
import { DomainError } from "../domain/domainError.ts";
import type { Database } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { type Changes, writesOf } from "./changes.ts";
import { commit, fullJitter, mapBusyToUnavailable, RETRY_RESERVE_MS, unavailable } from "./commit.ts";
import {
  type CommandResponse,
  type CommandResult,
  earlierResponse,
  type IdempotentRequest,
  responseWrite,
} from "./idempotency.ts";

/** The result of one attempt: changes with a response, or changes with a domain error. */
export type Decision =
  | { changes: Changes; response: CommandResponse }
  | { changes: Changes; error: DomainError };

export interface DecideOptions {
  idempotent?: IdempotentRequest | undefined;
  /** Returns the milliseconds until the caller must respond. */
  timeLeft: () => number;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Runs a command. The response is stored in the transaction of the changes, on condition that none is stored yet.
 * Therefore, an earlier response is looked up only if the attempt or its transaction fails.
 * @param attempt reads and decides; called again with `true` if an item has changed before the changes were written
 * @throws DomainError of the rule; `key_reused`; `unavailable` if the database stays busy
 */
export const decide = async (
  db: Database,
  attempt: (isRetry: boolean) => Promise<Decision>,
  { idempotent, timeLeft, now }: DecideOptions,
): Promise<CommandResult> => {
  for (let tries = 0; ; tries += 1) {
    let decision: Decision;
    try {
      decision = await mapBusyToUnavailable(attempt(tries > 0));
    } catch (error) {
      // The request may be rejected only because it was carried out before.
      const earlier = error instanceof DomainError ? await earlierResponse(db, idempotent, now) : null;
      if (earlier !== null) return earlier;
      throw error;
    }
    if ("error" in decision) {
      const earlier = await earlierResponse(db, idempotent, now);
      if (earlier !== null) return earlier;
    }
    try {
      const writes = await writesOf(decision.changes);
      if (idempotent !== undefined && "response" in decision)
        writes.push(responseWrite(idempotent, decision.response, now));
      await commit(db, writes, timeLeft);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const earlier = await earlierResponse(db, idempotent, now);
      if (earlier !== null) return earlier;
      if (timeLeft() < RETRY_RESERVE_MS) throw unavailable();
      if (tries > 0) await fullJitter(Math.min(tries, 4));
      continue;
    }
    if ("error" in decision) throw decision.error;
    return { response: decision.response, isNew: true };
  }
};
