/** What an entry of the log says. */
import type { LogEntry } from "./calls.ts";

const READ_ACTIONS = new Set([
  ...["alerts", "bans", "disputes", "find", "get_logs", "get_players", "player_count", "status"],
  "login",
]);

/** Whether somebody did something, and did not only look. Reading the settings is logged as changing them, without details. */
export const isChange = ({ action, details }: LogEntry): boolean =>
  !READ_ACTIONS.has(action) &&
  details.dry_run !== true &&
  !(action === "settings" && Object.keys(details).length === 0);
