/**
 * The actions of the audit log, and what each is. An endpoint of game masters, whose action is the last word of its path, does
 * not compile without its line here, and neither does work that writes entries.
 */
const ACTIONS = {
  admit: "command",
  alerts: "read",
  archive: "read",
  ban: "command",
  bans: "read",
  change_password: "command",
  codes: "read",
  close_mission: "command",
  comment_dispute: "command",
  corpsify: "command",
  create_codes: "command",
  cure: "command",
  delete_player: "command",
  deliver: "work",
  disputes: "read",
  draw_originals: "command",
  edit_player: "command",
  enforce_missions: "command",
  enrol: "work",
  feed: "command",
  feed_group: "command",
  feed_player: "command",
  find: "read",
  get_logs: "read",
  get_players: "read",
  hunt: "command",
  import_players: "command",
  inject_sql: "command",
  kill_all_not_at_checkpoint: "command",
  label: "command",
  lift_lockout: "command",
  login: "login",
  make_spectator: "command",
  mission_attendance: "command",
  mission_picture: "command",
  name_hunter: "command",
  new_tag_code: "command",
  of_age: "work",
  paper_signature: "command",
  pause_game: "command",
  player_at_checkpoint: "command",
  player_count: "read",
  readiness: "read",
  recover_password: "command",
  remove_player: "command",
  reset_season: "command",
  reopen_mission: "command",
  resolve_dispute: "command",
  resume_game: "command",
  revive_all: "command",
  revive_h: "command",
  revive_z: "command",
  revoke_codes: "command",
  season: "read",
  send: "command",
  set_checkpoint: "command",
  set_mission: "command",
  settings: "read or command",
  show_secrets: "command",
  signatures: "read",
  status: "read",
  sweep: "work",
  unban: "command",
  undo_checkpoint: "command",
  undo_redemption: "command",
  void_hunt: "command",
  void_hunts: "command",
  webhook_off: "work",
  withdraw: "command",
  zombies_add_day: "command",
} as const;

export type Action = keyof typeof ACTIONS;

/** What an endpoint with this method may be. */
type KindOf<M extends string> = "read or command" | (M extends "GET" ? "read" : "command");

/** The actions of endpoints with this method. */
export type ActionOf<M extends string> = {
  [A in Action]: (typeof ACTIONS)[A] extends KindOf<M> ? A : never;
}[Action];

const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);

/** Every action, in alphabetical order. */
export const actionNames = (): readonly Action[] => Object.keys(ACTIONS).filter(isAction).toSorted();

/** Whether an entry of the log is of a command or of work that changed something, not of a read, a login or a dry run. */
export const isOfChange = ({
  action,
  details,
}: {
  action: string;
  details: Record<string, unknown>;
}): boolean => {
  const kind = isAction(action) ? ACTIONS[action] : "command";
  // A read of the settings has no details.
  if (kind === "read or command") return Object.keys(details).length > 0;
  return kind !== "read" && kind !== "login" && details.dry_run !== true;
};
