/** The log entry of one call: what it will say, and whether it has been written with what the call changed. */
import type { CommandContext } from "../domain/outcome.ts";
import { rfc3339 } from "../domain/time.ts";
import { log } from "../runtime/log.ts";
import type { LogEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";

/**
 * Every action of the log: the path word of each endpoint whose calls are logged, and what workers do by themselves. A
 * test holds it against the endpoints.
 */
export const ACTIONS = [
  "change_password",
  "corpsify",
  "cure",
  "delete_player",
  "deliver",
  "edit_player",
  "feed",
  "feed_player",
  "get_logs",
  "get_players",
  "inject_sql",
  "kill_all_not_at_checkpoint",
  "login",
  "pause_game",
  "player_at_checkpoint",
  "player_count",
  "recover_password",
  "remove_player",
  "resume_game",
  "revive_h",
  "revive_z",
  "send",
  "set_checkpoint",
  "status",
  "sweep",
  "void_hunt",
  "zombies_add_day",
] as const;

/** What a log entry says beside what was done and when; the handler fills in what it finds out. */
export interface AuditFields {
  actor: string | null;
  target: string | null;
  details: Record<string, unknown>;
}

export interface AuditLog {
  fields: AuditFields;
  /** The entry with this outcome; none for a call that is not logged. */
  entry: (outcome: string) => LogEntry | undefined;
  /** Says that the entry is being written with the call's own changes. */
  markWritten: () => void;
  /** Writes the entry of a call that did its work, unless that has been done. */
  close: () => Promise<void>;
  /** Writes the entry of a call that was refused; losing it does not change the answer. */
  closeRejected: (code: string) => Promise<void>;
}

/** Opens the log of a call; `action` is `null` for one that is not logged. */
export const openAuditLog = (
  store: Store,
  action: string | null,
  moment: CommandContext,
  requestId: string,
): AuditLog => {
  const note: AuditFields = { actor: null, target: null, details: {} };
  let isWritten = action === null;
  const entry = (outcome: string): LogEntry | undefined =>
    action === null
      ? undefined
      : { log_id: moment.newId(), at: rfc3339(moment.now), action, ...note, request_id: requestId, outcome };
  const write = async (outcome: string): Promise<void> => {
    const last = isWritten ? undefined : entry(outcome);
    if (last !== undefined) await store.log(last);
  };
  return {
    fields: note,
    entry,
    markWritten: () => {
      isWritten = true;
    },
    close: () => write("done"),
    closeRejected: (code) =>
      write(code).catch((error: unknown) => {
        log.error("log entry lost", { error });
      }),
  };
};
