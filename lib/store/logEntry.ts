/** New audit log entries. */
import type { Action } from "../domain/actions.ts";
import type { CommandContext } from "../domain/outcome.ts";
import { rfc3339 } from "../domain/time.ts";
import type { LogEntry } from "./items.ts";

/** A new audit log entry; by default with the outcome `done`, and without actor, target and details. */
export const newLogEntry = (
  { newId, now }: CommandContext,
  requestId: string,
  entry: { action: Action } & Partial<LogEntry>,
): LogEntry => ({
  log_id: newId(),
  at: rfc3339(now),
  actor: null,
  target: null,
  request_id: requestId,
  outcome: "done",
  details: {},
  ...entry,
});
