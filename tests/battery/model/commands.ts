/** The commands of the battery's model, as fast-check draws and shrinks them, and the opening before them. */
import fc from "fast-check";
import * as people from "./accountCommands.ts";
import * as codes from "./codeCommands.ts";
import * as commands from "./gameCommands.ts";
import * as missions from "./missionCommands.ts";
import { requestOneView } from "./reads.ts";
import { finishAndReopen } from "./seasonCommands.ts";
import type { Model } from "./state.ts";
import { type Actions, anonymous, type Plan, send, Turn } from "./turn.ts";
import * as waiver from "./waiverCommands.ts";
import type { World } from "./world.ts";

function* sweep(): Actions {
  yield { sweep: true };
  return true;
}

/** Kinds of command: how often each is drawn, and what it does. */
export const KINDS: Readonly<Record<string, readonly [weight: number, plan: Plan]>> = {
  hunt: [20, commands.hunt],
  late_hunt: [6, commands.lateHunt],
  report_tagged: [6, commands.reportTagged],
  name_hunter: [3, commands.nameHunter],
  dispute: [5, commands.dispute],
  resolve_dispute: [4, commands.resolveDispute],
  enter_hunt: [5, commands.enterHunt],
  new_tag_code: [2, commands.newTagCode],
  lift_lockout: [1, commands.liftLockout],
  guess_codes: [1, commands.guessCodes],
  corpsify: [3, commands.onPlayer("corpsify", "human", "zombie")],
  make_spectator: [2, commands.onPlayer("make_spectator", "human", "zombie", "corpse")],
  enrol: [1, commands.enrol],
  show_secrets: [1, commands.onPlayer("show_secrets", "human", "zombie", "corpse", "spectator")],
  cure: [5, commands.onPlayer("cure", "zombie")],
  revive_h: [6, commands.onPlayer("revive_h", "corpse", "spectator")],
  revive_z: [6, commands.onPlayer("revive_z", "corpse", "spectator")],
  feed_player: [4, commands.onPlayer("feed_player", "zombie")],
  // 48 or more are fed by a job.
  feed: [3, (t) => t.master("feed", { n: t.pick([1, 2, 3, 5, 60]) })],
  draw_originals: [2, commands.drawOriginals],
  feed_group: [2, commands.feedGroup],
  revive_all: [3, commands.reviveAll],
  zombies_add_day: [3, commands.addDay],
  pause_game: [2, (t) => t.master("pause_game", {})],
  resume_game: [6, commands.resume],
  set_checkpoint: [2, commands.setCheckpoint],
  player_at_checkpoint: [5, commands.passCheckpoint],
  kill_all: [2, commands.killAll],
  undo_checkpoint: [2, commands.undoCheckpoint],
  void_hunt: [7, commands.voidHunt],
  void_across_day: [4, commands.voidAcrossDay],
  redeem: [8, codes.redeem],
  undo_redemption: [3, codes.undoRedemption],
  revoke_codes: [1, codes.revokeCodes],
  set_mission: [2, missions.setMission],
  mission_attendance: [3, missions.attend],
  close_mission: [4, missions.close],
  reopen_mission: [2, missions.reopen],
  enforce_missions: [2, missions.enforce],
  set_waiver: [6, waiver.setWaiver],
  sign: [5, waiver.signWaiver],
  paper_signature: [2, waiver.enterPaper],
  photo_consent: [2, people.answerPhotos],
  finish_and_reopen: [6, finishAndReopen],
  sweep: [4, sweep],
  time: [10, commands.wait],
  new: [4, people.join],
  login: [2, people.login],
  wrong_password: [2, people.guess],
  logout: [2, people.logout],
  change_password: [2, people.changePassword],
  recover_password: [1, people.recover],
  redeem_code: [2, people.redeem],
  delete_player: [2, people.leave],
  remove_player: [2, people.remove],
  come_and_go: [3, people.comeAndGo],
  edit_player: [3, people.edit],
  admin_edit_player: [4, people.editAnother],
  label: [2, people.label],
  set_pfp: [2, people.setPicture],
  again: [5, people.repeatRequest],
};

/** The kind of a command, and the numbers from which it makes its choices. */
type Command = readonly [kind: string, numbers: readonly number[]];

/** What shrinking puts in place of commands that a failure does not need. */
const NOTHING: Command = ["nothing", []];

/** Sequences of commands. */
export const sequences = (minLength: number, maxLength: number): fc.Arbitrary<Command[]> => {
  const numbers = fc.array(fc.nat(9_999), { minLength: 20, maxLength: 20, size: "max" });
  const drawn = Object.entries(KINDS).map(([kind, [weight]]) => ({
    weight,
    arbitrary: numbers.map((choices): Command => [kind, choices]),
  }));
  const none = { weight: 1, arbitrary: fc.constant(NOTHING) };
  const command = fc.oneof({ withCrossShrink: true }, none, ...drawn);
  return fc.array(command, { minLength, maxLength, size: "max" });
};

/** Carries out a sequence of commands. After a quarter of them, one of the views is requested. */
export const run = async (world: World, sequence: readonly Command[]): Promise<void> => {
  for (const [kind, numbers] of sequence) {
    const plan = KINDS[kind]?.[1];
    if (plan === undefined) continue;
    await world.play(kind, function* (m): Actions {
      const t = new Turn(m, numbers);
      yield { pass: commands.shortWait(t) };
      const succeeded = yield* plan(t);
      if (t.chance(25)) yield* requestOneView(t);
      return succeeded;
    });
  }
};

/** The opening of every sequence: a game master and some players, all logged in. */
export function* opening(m: Model): Actions {
  const zombies = ["Yan", "Zed"];
  for (const alias of ["Ada", "Ben", "Cid", "Dee", "Eve", "Fay", ...zombies]) {
    const body = { alias, password: people.PASSWORD };
    yield* send("POST /new", anonymous(), body);
    yield* send("POST /login", anonymous(), body);
    yield { pass: 1_234 };
  }
  const t = new Turn(m, [0]);
  for (const alias of zombies)
    for (const command of ["corpsify", "revive_z"] as const) yield* t.master(command, { alias });
  yield { pass: 3_600_000 };
  return true;
}
