/** Audit log entries that workers write. */
import type { CommandContext } from "../domain/outcome.ts";
import { rfc3339 } from "../domain/time.ts";
import type { LogEntry } from "../store/items.ts";

/** A new audit log entry with the outcome `done`. `actor`, `target` and `details` are optional. */
export const newLogEntry = (
  { newId, now }: CommandContext,
  requestId: string,
  entry: { action: string } & Partial<LogEntry>,
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
