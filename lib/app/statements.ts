/** Validates and executes a game master's PartiQL statement, one page per request. */
import { DomainError, invalidRequest } from "../domain/domainError.ts";
import { maySeeSecrets, type Viewer } from "../domain/visibility.ts";
import { StatementRejected } from "../dynamodb/errors.ts";
import type { AuditFields } from "../http/auditLog.ts";
import { makeCursor, readCursor } from "../http/cursors.ts";
import type { Services } from "../lambda/services.ts";
import { execute, Position } from "../partiql/execute.ts";
import { redact } from "../partiql/redact.ts";
import { validate } from "../partiql/validate.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";

interface StatementRequest {
  player: NonNullable<Viewer>;
  services: Services;
  body: { statement: string; parameters: readonly unknown[]; limit: number; cursor?: string | undefined };
  audit: AuditFields;
  timeLeft: () => number;
}

/**
 * Executes one statement. The audit log contains it without its values.
 * @returns a page of items, and the cursor of the next page
 * @throws DomainError `wrong_state` for a game master who plays, because every item may tell a code or an original;
 *   `invalid_request` with the rule that the statement violates, or with the database's error message
 */
export const injectSql = async ({ player, services, body, audit, timeLeft }: StatementRequest) => {
  const { statement, parameters, limit, cursor } = body;
  audit.details = { statement: redact(statement) };
  const validated = validate(statement, parameters, { writes: services.injectSqlWrites });
  const cursorScope = { list: "inject_sql", filters: { statement, parameters: JSON.stringify(parameters) } };
  const position = await readCursor(services, cursorScope, cursor);
  const from = position === undefined ? undefined : Position.parse(JSON.parse(position));
  if (!maySeeSecrets(player))
    throw new DomainError(
      "wrong_state",
      "You play, or have played, in this season: a statement could show you tag codes and hidden original zombies.",
    );
  try {
    const page = await mapBusyToUnavailable(execute(services.store.db, validated, { limit, from, timeLeft }));
    audit.details = { ...audit.details, items: page.items.length };
    const next = page.next === null ? null : JSON.stringify(page.next);
    return { items: page.items, next_cursor: await makeCursor(services, cursorScope, next) };
  } catch (error) {
    if (!(error instanceof StatementRejected)) throw error;
    throw invalidRequest({ path: "statement", message: error.message });
  }
};
