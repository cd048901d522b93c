/** Encodes the responses of one endpoint: only declared fields are sent, and names are not stored. */
import type * as z from "zod/mini";
import { playerNotFound } from "../domain/domainError.ts";
import { property } from "../runtime/objects.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import type { CommandResponse } from "../store/idempotency.ts";
import type { Store } from "../store/store.ts";
import { type NamedPlayers, withNames, withoutNames } from "../store/storedNames.ts";

export interface ResponseEncoder<R> {
  /** @param named the players whom the response may name; given if it is to be stored for retries */
  encode: (value: R, named?: NamedPlayers) => CommandResponse;
  /** A stored response, with current names. @throws DomainError `player_not_found` when it is about a deleted player */
  replay: (store: Store, stored: CommandResponse) => Promise<CommandResponse>;
}

/**
 * @param schema `null` for responses without a body; what such an endpoint responds all the same, with 202, says that the
 *   queue continues the work
 * @param status of a success; with a schema, a value of `undefined` has 204
 * @param incompleteStatus of a response with `complete: false`
 */
export const responseEncoder = <R>(
  schema: z.ZodMiniType<R> | null,
  status: number,
  incompleteStatus = status,
): ResponseEncoder<R> => ({
  encode: (value, named) => {
    if (schema === null)
      return value == null ? { status, body: null } : { status: 202, body: JSON.stringify(value) };
    if (value === undefined) return { status: 204, body: null };
    const shown = schema.parse(value);
    const stored = named && { stored: JSON.stringify(withoutNames(shown, named)) };
    const isIncomplete = property(shown, "complete") === false;
    return { status: isIncomplete ? incompleteStatus : status, body: JSON.stringify(shown), ...stored };
  },
  replay: async (store, { status: storedStatus, body }) => {
    if (body === null) return { status: storedStatus, body };
    const shown = await mapBusyToUnavailable(withNames(store, JSON.parse(body)));
    // If the schema does not allow the missing name, the response is about the deleted player.
    if (shown.isAnyDeleted && schema?.safeParse(shown.body).success !== true) throw playerNotFound();
    return { status: storedStatus, body: JSON.stringify(shown.body) };
  },
});
