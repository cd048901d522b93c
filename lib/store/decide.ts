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
  type EarlierAnswer,
  earlierResponse,
  type IdempotentRequest,
  responseWrite,
} from "./idempotency.ts";

/**
 * What one attempt at a command has decided: changes with a result, or changes that go with a domain error. `aliases` are
 * the aliases in the result, by player id, of players other than the caller and the changed ones.
 */
export type Decision<R> =
  | { changes: Changes; result: R; aliases?: ReadonlyMap<string, string> }
  | { changes: Changes; error: DomainError };

/** The response to a command: of this call, with its result, or the stored one of an earlier request. */
export type Answer<R> = EarlierAnswer | { isNew: true; response: CommandResponse; result: R };

/** A decision that has a result. */
export type Decided<R> = Exclude<Decision<R>, { error: DomainError }>;

export interface DecideOptions<R> {
  /** Makes the response of a decision, which is stored with its changes. */
  respond: (decided: Decided<R>) => CommandResponse;
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
export const decide = async <R>(
  db: Database,
  attempt: (isRetry: boolean) => Promise<Decision<R>>,
  { idempotent, respond, timeLeft, now }: DecideOptions<R>,
): Promise<Answer<R>> => {
  for (let tries = 0; ; tries += 1) {
    let decision: Decision<R>;
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
    const response = "error" in decision ? null : respond(decision);
    try {
      const writes = await writesOf(decision.changes);
      if (idempotent !== undefined && response !== null)
        writes.push(responseWrite(idempotent, response, now));
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
    if (response !== null) return { isNew: true, response, result: decision.result };
  }
};

const NO_RESPONSE: CommandResponse = { status: 204, body: null };

/** Carries out a command that no request with an idempotency key has asked for. @returns the result of its decision */
export const apply = async <R>(
  db: Database,
  attempt: (isRetry: boolean) => Promise<Decision<R>>,
  { timeLeft, now }: Pick<DecideOptions<R>, "timeLeft" | "now">,
): Promise<R> => {
  const answer = await decide(db, attempt, { respond: () => NO_RESPONSE, timeLeft, now });
  if (!answer.isNew) throw new Error("a command without an idempotency key has no earlier response");
  return answer.result;
};
