/**
 * What game masters and moderators may read and change. Each entry is the last word of an endpoint's path; without an
 * entry for each, this does not compile, and neither do the texts under the same names in text/staff.ts.
 */
import type { CommandAction, LogEntry, ReadAction } from "../schemas.ts";

type Role = "moderator" | "game_master";

interface Command {
  /** Who may use it: a role, and those above it. Nothing of it is drawn for others. */
  role: Role;
  /** Whether it waits for ten seconds and can be taken back, because no other command undoes all of it. */
  waits: boolean | "by form";
  /** Whether the dialog asks for a reason, and whether the players concerned see it, in their history or at their login. */
  reason: "none" | "for the log" | "shown" | "required and shown";
}

const command = (
  waits: Command["waits"],
  reason: Command["reason"] = "for the log",
  role: Role = "game_master",
): Command => ({ role, waits, reason });

export const COMMANDS: Readonly<Record<CommandAction, Command>> = {
  admit: command(false, "shown"),
  ban: command(true, "shown"),
  close_mission: command(true, "shown"),
  comment_dispute: command(false, "none", "moderator"),
  corpsify: command(true, "shown"),
  create_codes: command("by form"),
  cure: command(true, "shown"),
  draw_originals: command(true, "shown"),
  edit_player: command(false),
  enforce_missions: command(true, "shown"),
  feed_group: command(false, "shown"),
  feed_player: command(false, "shown", "moderator"),
  finish_season: command(false),
  hunt: command(false),
  import_players: command(false, "none"),
  inject_sql: command(false, "none"),
  kill_all_not_at_checkpoint: command(true, "shown"),
  label: command(false, "none"),
  lift_lockout: command(false),
  lift_suppression: command(false),
  make_spectator: command(true, "shown"),
  mission_attendance: command(false, "for the log", "moderator"),
  mission_picture: command(false, "none"),
  name_hunter: command(false),
  new_tag_code: command(false),
  paper_signature: command("by form", "none", "moderator"),
  pause_game: command(false),
  player_at_checkpoint: command(false, "for the log", "moderator"),
  recover_password: command(false),
  remove_player: command(true),
  reopen_season: command(false),
  reset_season: command(false, "none"),
  reopen_mission: command(true, "shown"),
  resolve_dispute: command("by form", "none"),
  resume_game: command(false),
  revive_all: command(false, "shown"),
  revive_h: command(false, "shown"),
  revive_z: command(false, "shown"),
  revoke_codes: command(true),
  send: command("by form"),
  send_invitations: command(false),
  send_mail: command(false),
  set_checkpoint: command(false),
  set_mission: command("by form"),
  settings: command("by form"),
  // A reason would be shown to the players concerned.
  show_secrets: command(false, "none"),
  unban: command(false),
  undo_checkpoint: command(true, "required and shown"),
  undo_redemption: command(true, "shown"),
  void_hunt: command(true, "required and shown"),
  void_hunts: command(true, "shown"),
  withdraw: command(false),
  zombies_add_day: command(false),
};

const READS: Readonly<Record<ReadAction, Pick<Command, "role">>> = {
  alerts: { role: "game_master" },
  archive: { role: "game_master" },
  bans: { role: "game_master" },
  codes: { role: "game_master" },
  disputes: { role: "moderator" },
  find: { role: "moderator" },
  get_logs: { role: "game_master" },
  get_players: { role: "moderator" },
  mail: { role: "game_master" },
  player_count: { role: "game_master" },
  readiness: { role: "moderator" },
  season: { role: "game_master" },
  settings: { role: "game_master" },
  signatures: { role: "game_master" },
  status: { role: "game_master" },
};

export type Action = CommandAction | ReadAction;

/** Who may use each action. */
export const ROLES: Readonly<Record<Action, Pick<Command, "role">>> = { ...READS, ...COMMANDS };

/**
 * Whether an entry of the log is a command of a game master or moderator. Players change their passwords and their own
 * profiles, enrol and leave, and the service has entries of its own.
 */
export const isCommand = ({
  action,
  actor,
  target,
}: Pick<LogEntry, "action" | "actor" | "target">): boolean =>
  (action in COMMANDS || action === "feed") && !(action === "edit_player" && actor === target);

export const pathOf = (action: string): string =>
  `/${["send", "status", "withdraw"].includes(action) ? "notifications" : "admin"}/${action}/{url_id}`;
