/** Validates and executes a game master's PartiQL statement, one page per request. */
import { DomainError, invalidRequest } from "../domain/domainError.ts";
import { hidesOriginalsFrom, maySeeSecrets } from "../domain/players/visibility.ts";
import { StatementRejected } from "../dynamodb/errors.ts";
import type { ReadCall } from "../lambda/call.ts";
import { execute, Position } from "../partiql/execute.ts";
import { redact } from "../partiql/redact.ts";
import { requireNoTagCode, withoutTagCodes } from "../partiql/tagCodes.ts";
import { validate } from "../partiql/validate.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";

interface Statement {
  statement: string;
  parameters: readonly unknown[];
  limit: number;
}

/**
 * Executes one statement. The audit log contains it without its values. A game master who plays sees no tag codes.
 * @param readPosition returns the position after the page before
 * @returns a page of items, and the position after it
 * @throws DomainError `wrong_state` for a game master who plays, if the statement writes, or while originals are hidden,
 *   because every item may tell one; `invalid_request` with the rule that the statement violates, or with the database's
 *   error message; what `readPosition` throws
 */
export const injectSql = async (
  { player, game, now, services, audit, timeLeft }: ReadCall,
  { statement, parameters, limit }: Statement,
  readPosition: () => Promise<string | undefined>,
) => {
  audit.details = { statement: redact(statement) };
  const hidesCodes = !maySeeSecrets(player);
  if (hidesCodes) requireNoTagCode(statement, parameters);
  const validated = validate(statement, parameters, { writes: services.injectSqlWrites });
  // They could write themselves out of play, and so see every code.
  if (hidesCodes && validated.kind !== "select")
    throw new DomainError(
      "wrong_state",
      "You play, or have played, in this season: a game master who plays can read by a statement, and not write.",
    );
  const position = await readPosition();
  const from = position === undefined ? undefined : Position.parse(JSON.parse(position));
  if (hidesOriginalsFrom(player, game, now))
    throw new DomainError(
      "wrong_state",
      "You play, or have played, in this season: a statement could show you hidden original zombies.",
    );
  try {
    const page = await mapBusyToUnavailable(execute(services.store.db, validated, { limit, from, timeLeft }));
    audit.details = { ...audit.details, items: page.items.length };
    const items = hidesCodes ? page.items.map(withoutTagCodes) : page.items;
    return { items, next: page.next === null ? null : JSON.stringify(page.next) };
  } catch (error) {
    if (!(error instanceof StatementRejected)) throw error;
    throw invalidRequest({ path: "statement", message: error.message });
  }
};
