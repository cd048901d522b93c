/** Distinguishes commands from reads in the audit log. */
import type { LogEntry } from "./calls.ts";

const READ_ACTIONS = new Set([
  ...["alerts", "bans", "disputes", "find", "get_logs", "get_players", "player_count", "status"],
  "login",
]);

/** Whether an entry records a change, not a read, a login or a dry run. A read of the settings has no details. */
export const isChange = ({ action, details }: LogEntry): boolean =>
  !READ_ACTIONS.has(action) &&
  details.dry_run !== true &&
  !(action === "settings" && Object.keys(details).length === 0);
