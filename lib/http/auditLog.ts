/** The audit log entry of one call: its fields, and whether it was already written with the call's own changes. */
import type { Game } from "../domain/game/game.ts";
import type { CommandContext } from "../domain/outcome.ts";
import { rfc3339 } from "../domain/time.ts";
import type { AuditFields } from "../lambda/call.ts";
import { log } from "../runtime/log.ts";
import type { LogEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";

export interface AuditLog {
  fields: AuditFields;
  /** The entry with this outcome; `undefined` for a call that is not logged. */
  entry: (outcome: string) => LogEntry | undefined;
  /** Marks the entry as written with the call's own changes. */
  markWritten: () => void;
  /** Writes the entry of a successful call, unless it was written already. */
  close: () => Promise<void>;
  /** Writes the entry of a rejected call. A failure is logged and does not change the response. */
  closeRejected: (code: string) => Promise<void>;
  /**
   * The same for a call without a token, of which anybody can send any number: writes the entry only of a failed attempt
   * at a known account, because each of these counts against a rate limit. The log lines of the requests count the others.
   */
  closeAttempt: (code: string) => Promise<void>;
}

/** @param action `null` for a call that is not logged */
export const openAuditLog = (
  { store, game }: { store: Store; game: Game },
  action: string | null,
  context: CommandContext,
  requestId: string,
): AuditLog => {
  const fields: AuditFields = { actor: null, target: null, details: {}, reason: undefined };
  let isWritten = action === null;
  const entry = (outcome: string): LogEntry | undefined => {
    if (action === null) return undefined;
    const { actor, target, details, reason } = fields;
    return {
      log_id: context.newId(),
      at: rfc3339(context.now),
      action,
      actor,
      target,
      details: reason === undefined ? details : { ...details, reason },
      request_id: requestId,
      outcome,
    };
  };
  const write = async (outcome: string): Promise<void> => {
    const last = isWritten ? undefined : entry(outcome);
    if (last !== undefined) await store.log(game, last);
  };
  const reportLoss = (error: unknown): void => log.error("audit log entry lost", { error });
  const writeRejected = (code: string): Promise<void> => write(code).catch(reportLoss);
  return {
    fields,
    entry,
    markWritten: () => {
      isWritten = true;
    },
    close: () => write("done"),
    closeRejected: writeRejected,
    closeAttempt: async (code) => {
      if (action === null || code !== "bad_credentials") return;
      if (fields.target !== null) await writeRejected(code);
      else await store.passOverEntry(context.now).catch(reportLoss);
    },
  };
};
