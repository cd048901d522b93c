/**
 * The actions of the audit log, and what each is. A command of kind `play` changes what is played, so a season that is finished
 * rejects it. An endpoint of game masters, whose action is the last word of its path, does
 * not compile without its line here, and neither does work that writes entries.
 */
const ACTIONS = {
  admit: "play",
  alerts: "read",
  archive: "read",
  ban: "command",
  bans: "read",
  change_password: "command",
  codes: "read",
  close_mission: "play",
  comment_dispute: "command",
  corpsify: "play",
  create_codes: "play",
  cure: "play",
  delete_player: "command",
  deliver: "work",
  disputes: "read",
  draw_originals: "play",
  edit_player: "command",
  enforce_missions: "play",
  enrol: "work",
  feed: "play",
  feed_group: "play",
  feed_player: "play",
  find: "read",
  finish_season: "command",
  get_logs: "read",
  get_players: "read",
  hunt: "play",
  import_players: "play",
  inject_sql: "command",
  kill_all_not_at_checkpoint: "play",
  label: "command",
  lift_lockout: "command",
  lift_suppression: "command",
  login: "login",
  mail: "read",
  make_spectator: "play",
  mission_attendance: "play",
  mission_picture: "command",
  name_hunter: "play",
  new_tag_code: "play",
  of_age: "work",
  paper_signature: "command",
  pause_game: "play",
  player_at_checkpoint: "play",
  player_count: "read",
  readiness: "read",
  recover_password: "command",
  remove_player: "command",
  reopen_season: "command",
  reset_season: "command",
  reopen_mission: "play",
  resolve_dispute: "play",
  resume_game: "play",
  revive_all: "play",
  revive_h: "play",
  revive_z: "play",
  revoke_codes: "command",
  season: "read",
  send: "command",
  send_invitations: "command",
  send_mail: "command",
  set_checkpoint: "play",
  set_mission: "play",
  settings: "read or command",
  show_secrets: "play",
  signatures: "read",
  status: "read",
  sweep: "work",
  unban: "command",
  undo_checkpoint: "play",
  undo_redemption: "play",
  void_hunt: "play",
  void_hunts: "play",
  webhook_off: "work",
  withdraw: "command",
  zombies_add_day: "play",
} as const;

export type Action = keyof typeof ACTIONS;

/** What an endpoint with this method may be. */
type KindOf<M extends string> = "read or command" | (M extends "GET" ? "read" : "command" | "play");

/** The actions of endpoints with this method. */
export type ActionOf<M extends string> = {
  [A in Action]: (typeof ACTIONS)[A] extends KindOf<M> ? A : never;
}[Action];

const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);

/** Whether a command changes what is played. */
export const isOfPlay = (action: string): boolean => isAction(action) && ACTIONS[action] === "play";

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
