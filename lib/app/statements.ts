/** Validates and executes a game master's PartiQL statement, one page per request. */
import { DomainError, invalidRequest } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import { hidesOriginalsFrom, maySeeSecrets, type Viewer } from "../domain/players/visibility.ts";
import { StatementRejected } from "../dynamodb/errors.ts";
import { makeCursor, readCursor } from "../http/cursors.ts";
import type { AuditFields } from "../lambda/call.ts";
import type { Services } from "../lambda/services.ts";
import { execute, Position } from "../partiql/execute.ts";
import { redact } from "../partiql/redact.ts";
import { requireNoTagCode, withoutTagCodes } from "../partiql/tagCodes.ts";
import { validate } from "../partiql/validate.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";

interface StatementRequest {
  player: NonNullable<Viewer>;
  game: Game;
  now: number;
  services: Services;
  body: { statement: string; parameters: readonly unknown[]; limit: number; cursor?: string | undefined };
  audit: AuditFields;
  timeLeft: () => number;
}

/**
 * Executes one statement. The audit log contains it without its values. A game master who plays sees no tag codes.
 * @returns a page of items, and the cursor of the next page
 * @throws DomainError `wrong_state` for a game master who plays, if the statement writes, or while originals are hidden, because
 *   every item may tell one; `invalid_request` with the rule that the statement violates, or with the database's error message
 */
export const injectSql = async (request: StatementRequest) => {
  const { player, game, now, services, body, audit, timeLeft } = request;
  const { statement, parameters, limit, cursor } = body;
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
  const cursorScope = { list: "inject_sql", filters: { statement, parameters: JSON.stringify(parameters) } };
  const position = await readCursor(services, cursorScope, cursor);
  const from = position === undefined ? undefined : Position.parse(JSON.parse(position));
  if (hidesOriginalsFrom(player, game, now))
    throw new DomainError(
      "wrong_state",
      "You play, or have played, in this season: a statement could show you hidden original zombies.",
    );
  try {
    const page = await mapBusyToUnavailable(execute(services.store.db, validated, { limit, from, timeLeft }));
    audit.details = { ...audit.details, items: page.items.length };
    const next = page.next === null ? null : JSON.stringify(page.next);
    const items = hidesCodes ? page.items.map(withoutTagCodes) : page.items;
    return { items, next_cursor: await makeCursor(services, cursorScope, next) };
  } catch (error) {
    if (!(error instanceof StatementRejected)) throw error;
    throw invalidRequest({ path: "statement", message: error.message });
  }
};
