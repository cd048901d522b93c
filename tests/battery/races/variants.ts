/** The operations that race, each with its caller and its target, and the variants of every pair of them. */
import { randomUUID } from "node:crypto";
import { sweep } from "../../../lib/app/workers/sweep.ts";
import { rfc3339 } from "../../../lib/domain/time.ts";
import { waiverVersion } from "../../../lib/store/waiver/texts.ts";
import { SINCE_ZED } from "../game.ts";
import { type Fixture, type GameState, type Name, NOW, WAIVER } from "./fixture.ts";
import { mailPairs } from "./mailOperations.ts";
import {
  byMaster,
  byPlayer,
  crossed,
  FROM,
  type Operation,
  operation,
  PASSWORDS,
  type Pair,
  type Password,
  withKey,
} from "./operations.ts";
import { registrationPairs } from "./registrationOperations.ts";

/** Two operations, and the state of the game in which they race. */
export interface Variant {
  operations: readonly [Operation, Operation];
  state: GameState;
}

/** A zombie reports a human's code. */
const hunt = (by: Name, prey: Name, share_with: Name[] = [], more: object = {}): Operation => {
  const about = [prey, ...share_with, ...Object.keys(more)];
  return byPlayer("hunt", by, about, "POST /zombie/hunt/{url_id}", ({ who }) => {
    return { tag_code: who[prey].code, share_with, note: "behind the library", ...more };
  });
};

/** A zombie reports a tag that happened a minute before Zed starved. */
const lateHunt = (by: Name, prey: Name, share_with: Name[] = []): Operation =>
  hunt(by, prey, share_with, { hunted_at: rfc3339(NOW - 2 * SINCE_ZED) });

/** A player redeems a code: an antidote, food or points. */
const redeem = (who: Name, what: keyof Fixture["codes"], more: object = {}): Operation =>
  byPlayer("redeem", who, [what, ...Object.keys(more)], "POST /player/redeem/{url_id}", ({ codes }) => {
    return { code: codes[what], ...more };
  });

/** The code that fits a player: those whom a player has tagged can be cured. Zed enters his a minute before he starved. */
const redeemOwn = (who: Name): Operation => {
  if (who === "Zed") return redeem(who, "food", { redeemed_at: rfc3339(NOW - 2 * SINCE_ZED) });
  return redeem(who, who === "Ivy" ? "antidote" : who === "Hal" ? "points" : "food");
};

/** A game master undoes the redemption of Ida's points, or revokes the points. */
const undoRedemption = byMaster("undo_redemption", [], ({ redemption }) => ({ redemption_id: redemption }));
const revoke = byMaster("revoke_codes", [], ({ batch }) => ({ batch_id: batch }));

/** A human reports being tagged. */
const reportTagged = (who: Name): Operation =>
  byPlayer("report_tagged", who, [], "POST /player/report_tagged/{url_id}", () => ({ by_alias: "Ada" }));

/** A game master names the hunter of Kit, who has reported being tagged. */
const nameHunter = (hunter: Name): Operation =>
  byMaster("name_hunter", [hunter], ({ reported, who }) => {
    return { interaction_id: reported, player_id: who[hunter].id };
  });

/** A game master enters a tag in place of its hunter. */
const enterHunt = (prey: Name, hunter: Name = "Ada"): Operation =>
  byMaster(
    "enter_hunt",
    [hunter, prey],
    ({ who }) => ({ hunter: who[hunter].id, prey: who[prey].id, share_with: ["Sam"] }),
    "hunt",
  );

/** Commands that name the player by alias; the others use the id. */
const BY_ALIAS = ["corpsify", "revive_z", "feed_player", "player_at_checkpoint"];

/** A game master's command on one player. */
const onPlayer = (kind: string, alias: Name): Operation =>
  byMaster(kind, [alias], ({ who }) => (BY_ALIAS.includes(kind) ? { alias } : { player_id: who[alias].id }));

const passCheckpoint = (who: Name): Operation => onPlayer("player_at_checkpoint", who);

/** A game master registers a player by their code. */
const scanCode = (who: Name): Operation =>
  byMaster("player_at_checkpoint", ["by the code of", who], (fixture) => ({
    tag_code: fixture.who[who].code,
  }));

const ban = (alias: string): Operation => byMaster("ban", [alias], () => ({ alias }));

/** A game master admits those who wait. */
const admit = (...aliases: Name[]): Operation =>
  byMaster("admit", aliases, () => (aliases.length === 1 ? { alias: aliases[0] } : { aliases }));

const enrol = (who: Name): Operation => byPlayer("enrol", who, [], "POST /player/enrol/{url_id}");

/** A game master voids a list of hunts: Ada's of Ivy. */
const voidHunts = byMaster("void_hunts", [], ({ hunts }) => ({ interaction_ids: [hunts.ivy] }));

/** A game master draws one of Hal and Ida. */
const draw = byMaster("draw_originals", [], () => ({ n: 1 }));

const importPlayer = byMaster("import_players", ["Nova"], () => ({
  rows: [{ alias: "Nova", email: "nova@example.org" }],
}));

/** A game master's command without parameters. */
const game = (kind: string): Operation => byMaster(kind, []);

/** A game master undoes the enforcement of the checkpoint. */
const undo = byMaster("undo_checkpoint", [], ({ checkpoint }) => {
  return { checkpoint_id: checkpoint, reason: "the list was late" };
});

const feed = (n: number): Operation => byMaster("feed", [String(n)], () => ({ n }));

const theSweep: Operation = {
  kind: "sweep",
  name: "sweep",
  run: async ({ services }) => ({
    status: 200,
    body: await sweep({ services, requestId: randomUUID(), timeLeft: () => 50_000 }),
  }),
};

/** A player takes another name. */
const rename = (who: Name, alias: string): Operation =>
  byPlayer("edit_player", who, ["to", alias], "POST /edit_player/{url_id}", () => ({ alias }));

/** A game master gives a player another name, or changes their right. */
const editOther = (alias: Name, change: { alias_to?: string; is_admin?: boolean }): Operation =>
  byMaster("edit_player", [alias, JSON.stringify(change)], () => ({ alias, ...change }));

/** A game master gives players a label. */
const label = (...aliases: Name[]): Operation =>
  byMaster("label", aliases, () => ({ aliases, add: ["waiver"] }));

/** A game master revives or feeds a group, here of one. */
const group = (kind: "revive_all" | "feed_group", who: Name): Operation =>
  byMaster(kind, [who], () => ({ aliases: [who] }));

/** A player deletes their account. */
const leave = (who: Name): Operation => byPlayer("delete_player", who, [], "DELETE /delete_player/{url_id}");

/** A game master removes a player. */
const remove = (alias: Name): Operation =>
  byMaster("delete_player", [alias], () => ({ alias }), "remove_player");

/** Sets another password, with the old one or with a recovery code. */
const changePassword = (alias: Name, to: Password, by: "password" | "code" = "password"): Operation =>
  operation("change_password", [alias, "to", to, "by", by], "POST /change_password", ({ fixture }) => {
    const code = { recovery_code: fixture.recoveryCode };
    const proof = by === "code" ? code : { current_password: PASSWORDS.old };
    return { from: FROM, body: { alias, new_password: PASSWORDS[to], ...proof } };
  });

/** Logs in with the present password, a later one, or an earlier one. */
const login = (alias: string, password: Password = "old"): Operation =>
  operation("login", [alias, "with", password], "POST /login", () => {
    return { from: FROM, body: { alias, password: PASSWORDS[password] } };
  });

/** A game master voids a hunt: Ada's for Ivy, Ivy's for Jon, or Kit's report. */
const voidHunt = (prey: "ivy" | "jon" | "kit" = "ivy"): Operation =>
  byMaster("void_hunt", ["of", prey], ({ hunts, reported }) => {
    return { interaction_id: { ...hunts, kit: reported }[prey], reason: "he was on the stairs" };
  });

/** Somebody is checked in at the mission that is open, or that is taken back. */
const attend = (alias: Name, undo = false): Operation =>
  byMaster("mission_attendance", [alias, ...(undo ? ["undone"] : [])], ({ missions }) => {
    return { mission_id: missions.open, alias, ...(undo ? { undo } : {}) };
  });

/** A game master closes the mission that is open, reopens the one that is closed, or changes the open one. */
const closeMission = (result: string): Operation =>
  byMaster("close_mission", [result], ({ missions }) => ({ mission_id: missions.open, result }));
const reopenMission = byMaster("reopen_mission", [], ({ missions }) => ({ mission_id: missions.closed }));
const setMission = (place: string, version?: number): Operation =>
  byMaster("set_mission", [place], ({ missions }) => ({ mission_id: missions.open, place, version }));
const enforceMissions = byMaster("enforce_missions", [], () => ({ min: 1, exempt: ["Yan"] }));

/** A player signs the waiver of the fixture; a game master enters a signature on paper, or changes the waiver. */
const sign = (who: Name, full_name = "Own Name"): Operation =>
  byPlayer("sign", who, [full_name], "POST /player/sign/{url_id}", () => {
    return { version: waiverVersion(WAIVER), full_name };
  });
const enterPaper = (alias: Name, full_name = "Paper Name"): Operation =>
  byMaster("paper_signature", [alias, full_name], () => ({ alias, full_name }));
const changeWaiver = (waiver: string | null, more: object = {}): Operation =>
  byMaster("change_waiver", [String(waiver), ...Object.keys(more)], () => ({ waiver, ...more }), "settings");

/** A game master ends the season, with an award for Hal, or takes that back. */
const finish = (result: string, grace_seconds = 3_600): Operation =>
  byMaster("finish_season", [result, `${grace_seconds} s`], () => ({
    result,
    grace_seconds,
    awards: [{ title: "Best costume", alias: "Hal", text: "A hedge." }],
  }));
const reopen = byMaster("reopen_season", []);

/** The same, requested while Zed was still alive. */
const whileZedLives = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name}, while Zed lives`,
  earlier: 2 * SINCE_ZED,
});

/** How operations on one player are made, and the players for whom they are tested. */
type Single = readonly [make: (who: Name) => Operation | Operation[], ...targets: Name[]];

const on = (kind: string) => (who: Name) => onPlayer(kind, who);

const SINGLES: Readonly<Record<string, Single>> = {
  cure: [on("cure"), "Ada", "Ivy"],
  corpsify: [on("corpsify"), "Hal", "Ada"],
  make_spectator: [on("make_spectator"), "Hal", "Ada"],
  revive_h: [on("revive_h"), "Cid", "Zed"],
  revive_z: [on("revive_z"), "Cid", "Zed"],
  feed_player: [on("feed_player"), "Ada", "Yan"],
  player_at_checkpoint: [(who) => (who === "Hal" ? scanCode(who) : passCheckpoint(who)), "Hal", "Ada"],
  edit_player: [(who) => rename(who, "Nova"), "Hal", "Ada"],
  label: [(who) => label(who), "Hal", "Ada"],
  mission_attendance: [(who) => attend(who, ["Hal", "Ada"].includes(who)), "Hal", "Ida"],
  revive_all: [(who) => group("revive_all", who), "Cid", "Zed"],
  feed_group: [(who) => group("feed_group", who), "Ada", "Yan"],
  delete_player: [(who) => [leave(who), remove(who)], "Hal", "Ada"],
  change_password: [(who) => changePassword(who, "new"), "Hal", "Ada"],
  login: [(who) => login(who), "Hal", "Ada"],
  report_tagged: [reportTagged, "Hal"],
  redeem: [redeemOwn, "Hal", "Ivy", "Yan"],
  // On the hunter, or on the prey.
  enter_hunt: [(who) => enterHunt(["Hal", "Kit"].includes(who) ? who : "Hal"), "Ada", "Hal", "Kit"],
  new_tag_code: [on("new_tag_code"), "Hal"],
  lift_lockout: [on("lift_lockout"), "Ada"],
  ban: [ban, "Hal", "Ada"],
  admit: [(who) => admit(who), "Pru"],
  enrol: [enrol, "Gil", "Pru"],
  void_hunts: [() => voidHunts, "Ivy"],
  // On the hunter or, with Kit, on the prey.
  name_hunter: [(who) => nameHunter(who === "Kit" ? "Ada" : who), "Ada", "Kit"],
};

/** The operations of a kind on a player; none for kinds that concern the whole game. */
const singlesOf = (kind: string, who: Name): Operation[] => [SINGLES[kind]?.[0](who) ?? []].flat();

/** Operations on the whole game, and further players for them: who are due, hungriest, or have passed the checkpoint. */
const GAME_WIDE: Readonly<Record<string, { operations: Operation[]; concerned?: readonly Name[] }>> = {
  feed: { operations: [feed(1), feed(3), feed(48)], concerned: ["Yan", "Zed"] },
  sweep: { operations: [theSweep], concerned: ["Zed"] },
  zombies_add_day: { operations: [game("zombies_add_day")], concerned: ["Zed"] },
  pause_game: { operations: [game("pause_game")], concerned: ["Zed"] },
  resume_game: { operations: [game("resume_game")], concerned: ["Zed"] },
  kill_all_not_at_checkpoint: { operations: [game("kill_all_not_at_checkpoint")], concerned: ["Ida"] },
  draw_originals: { operations: [draw], concerned: ["Hal", "Ida"] },
  close_mission: { operations: [closeMission("both")], concerned: ["Hal", "Ivy"] },
  reopen_mission: { operations: [reopenMission], concerned: ["Hal", "Ivy"] },
  set_mission: { operations: [setMission("The bridge")] },
  enforce_missions: { operations: [enforceMissions], concerned: ["Ida"] },
  import_players: { operations: [importPlayer] },
  undo_checkpoint: { operations: [undo], concerned: ["Hal", "Ada"] },
  revoke_codes: { operations: [revoke] },
  undo_redemption: { operations: [undoRedemption], concerned: ["Ida"] },
};

/** Every operation that touches one player or the game. */
const KINDS = ["hunt", "void_hunt", ...Object.keys(SINGLES), ...Object.keys(GAME_WIDE)];

const THE_HUNT = hunt("Ada", "Hal", ["Sam"]);
const REVIVALS = ["revive_h", "revive_z"];
const ENDINGS = ["cure", "corpsify", "make_spectator", "delete_player"];

/** A hunt, and an operation on its prey, its hunter, or a player who shares it. */
const aroundHunt = (kind: string): Pair[] => {
  const by = (who: Name, ...hunts: Operation[]): Pair[] => crossed(hunts, singlesOf(kind, who));
  const revivals = [
    ...by("Cid", hunt("Ada", "Hal", ["Cid"]), hunt("Cid", "Hal")),
    ...by("Zed", whileZedLives(hunt("Zed", "Hal")), lateHunt("Zed", "Hal")),
  ];
  return [
    ...(["Hal", "Ada", "Sam"] as const).flatMap((who) => by(who, THE_HUNT)),
    ...(REVIVALS.includes(kind) ? revivals : []),
    ...(ENDINGS.includes(kind) ? by("Ada", lateHunt("Ada", "Hal", ["Sam"])) : []),
  ];
};

const HUNTS_WITH: Readonly<Record<string, Operation[]>> = {
  void_hunt: [hunt("Ivy", "Hal"), THE_HUNT, hunt("Sam", "Hal", ["Ivy"])],
  feed: [THE_HUNT, hunt("Yan", "Hal")],
  sweep: [
    ...[THE_HUNT, whileZedLives(hunt("Zed", "Hal")), whileZedLives(hunt("Ada", "Hal", ["Zed"]))],
    ...[hunt("Ada", "Hal", ["Zed"]), lateHunt("Zed", "Hal")],
  ],
  zombies_add_day: [THE_HUNT, lateHunt("Zed", "Hal")],
  pause_game: [THE_HUNT, lateHunt("Zed", "Hal")],
  kill_all_not_at_checkpoint: [THE_HUNT, hunt("Ada", "Ida", ["Sam"])],
};

const withGameWide = (single: string, plain: string): Pair[] => {
  const { operations = [], concerned = [] } = GAME_WIDE[plain] ?? {};
  const [, ...targets] = SINGLES[single] ?? [];
  const make = (who: Name) => singlesOf(single, who);
  const late = plain === "sweep" ? make("Zed").map(whileZedLives) : [];
  const isFedAlive = plain === "feed" && REVIVALS.includes(single);
  return [
    ...crossed(operations.slice(0, 1), [...new Set([...targets, ...concerned])].flatMap(make)),
    ...crossed(operations.slice(0, 1), late),
    ...crossed(operations.slice(1), make(concerned[0] ?? "Ada")),
    ...(isFedAlive ? crossed([feed(48)], make("Cid")) : []),
  ];
};

/** Kinds of which the same request is also sent twice at once, with one key. */
const RETRIED = [
  ...["cure", "revive_z", "feed_player", "feed", "zombies_add_day", "kill_all_not_at_checkpoint"],
  ...["undo_checkpoint", "revive_all", "name_hunter", "ban"],
];

/** Further variants of some pairs. */
const ADDITIONAL: readonly Pair[] = [
  [hunt("Ada", "Hal", ["Sam"]), hunt("Yan", "Hal")],
  [hunt("Ada", "Hal", ["Sam"]), hunt("Sam", "Ida")],
  [hunt("Ada", "Hal"), hunt("Ada", "Ida")],
  [lateHunt("Zed", "Hal"), lateHunt("Zed", "Ida")],
  [lateHunt("Zed", "Hal", ["Sam"]), hunt("Ada", "Hal", ["Sam"])],
  [lateHunt("Zed", "Hal"), hunt("Ada", "Ida", ["Zed"])],
  [lateHunt("Zed", "Kit"), nameHunter("Zed")],
  [withKey(lateHunt("Zed", "Hal")), withKey(lateHunt("Zed", "Hal"))],
  [lateHunt("Zed", "Hal"), enterHunt("Hal", "Zed")],
  [lateHunt("Zed", "Hal"), onPlayer("make_spectator", "Zed")],
  [hunt("Ada", "Hal", ["Sam"]), hunt("Yan", "Ida", ["Sam"])],
  [hunt("Ada", "Hal", ["Yan"]), hunt("Yan", "Hal", ["Ada"])],
  [withKey(hunt("Ada", "Hal", ["Sam"])), withKey(hunt("Ada", "Hal", ["Sam"]))],
  [feed(3), whileZedLives(theSweep)],
  [whileZedLives(feed(3)), theSweep],
  [whileZedLives(theSweep), theSweep],
  [whileZedLives(game("zombies_add_day")), theSweep],
  [whileZedLives(game("pause_game")), theSweep],
  [rename("Hal", "Nova"), rename("Ada", "Nova")],
  [rename("Hal", "Nova"), rename("Ada", "N0va")],
  [rename("Hal", "Nova"), editOther("Hal", { alias_to: "Luna" })],
  [rename("Hal", "Nova"), rename("Ada", "Hal")],
  [withKey(label("Hal", "Ada")), withKey(label("Hal", "Ada"))],
  [editOther("Gil", { is_admin: false }), editOther("Gus", { is_admin: false })],
  [editOther("Ada", { is_admin: true }), editOther("Ada", { is_admin: false })],
  [editOther("Gil", { is_admin: false }), editOther("Gil", { is_admin: true })],
  [editOther("Gil", { is_admin: false }), editOther("Ada", { is_admin: true })],
  [leave("Hal"), remove("Hal")],
  [leave("Gus"), leave("Gil")],
  [remove("Gil"), remove("Gus")],
  [rename("Ada", "Hal"), leave("Hal")],
  [rename("Ada", "Nova"), ban("Nova")],
  [editOther("Gil", { is_admin: false }), leave("Gil")],
  [editOther("Gil", { is_admin: false }), leave("Gus")],
  [remove("Gil"), onPlayer("corpsify", "Hal")],
  [changePassword("Hal", "new"), changePassword("Hal", "newer")],
  [changePassword("Hal", "new", "code"), changePassword("Hal", "newer", "code")],
  [changePassword("Hal", "new", "code"), changePassword("Hal", "newer")],
  [changePassword("Hal", "new", "code"), login("Hal")],
  [changePassword("Hal", "new"), login("Hal", "new")],
  [changePassword("Hal", "new"), login("Hal", "newer")],
  [login("Hal"), login("Hal", "newer")],
  [login("Hal", "newer"), login("Hal", "newer")],
  [rename("Hal", "Nova"), login("Nova")],
  [voidHunt(), voidHunt()],
  [voidHunt("ivy"), voidHunt("jon")],
  [withKey(voidHunt()), withKey(voidHunt())],
  [hunt("Ada", "Kit", ["Sam"]), hunt("Yan", "Kit")],
  [hunt("Ada", "Kit", ["Sam"]), nameHunter("Yan")],
  [hunt("Ada", "Kit", ["Sam"]), nameHunter("Ada")],
  [hunt("Ada", "Kit"), voidHunt("kit")],
  [hunt("Ada", "Kit"), leave("Kit")],
  [hunt("Ada", "Kit"), onPlayer("cure", "Kit")],
  [hunt("Ada", "Hal", ["Sam"]), reportTagged("Hal")],
  [nameHunter("Ada"), voidHunt("kit")],
  [nameHunter("Ada"), nameHunter("Yan")],
  [reportTagged("Hal"), reportTagged("Hal")],
  [admit("Pru", "Hal"), admit("Pru")],
  [withKey(admit("Pru", "Hal")), withKey(admit("Pru", "Hal"))],
  [voidHunts, voidHunt("jon")],
  [draw, hunt("Ada", "Hal")],
  [importPlayer, ban("Ida")],
  [attend("Ida"), attend("Ida")],
  [attend("Ida"), attend("Kit")],
  [attend("Ada", true), attend("Ada", true)],
  [closeMission("both"), closeMission("cancelled")],
  [setMission("The bridge", 1), setMission("The pond", 1)],
  [withKey(closeMission("both")), withKey(closeMission("both"))],
  [withKey(reopenMission), withKey(reopenMission)],
  [redeem("Hal", "points"), redeem("Ada", "points")],
  [withKey(redeem("Ivy", "antidote")), withKey(redeem("Ivy", "antidote"))],
  [redeem("Ivy", "antidote"), redeem("Jon", "antidote")],
  [redeem("Hal", "points"), revoke],
  [redeem("Ida", "points"), undoRedemption],
  [undoRedemption, undoRedemption],
];

/** The pairs of two kinds, the first of which is not after the second in the list of kinds. */
const ordinary = (x: string, y: string): Pair[] => {
  const [one, other] = [SINGLES[x], SINGLES[y]];
  const games = GAME_WIDE[y]?.operations ?? [];
  const firstOf = (kind: string, who: Name) => singlesOf(kind, who).slice(0, 1);
  if (one !== undefined && other !== undefined) {
    const [[, ...targets], [, ...others]] = [one, other];
    return [...new Set([...targets, ...others])].flatMap((who) => crossed(firstOf(x, who), firstOf(y, who)));
  }
  if (one !== undefined) return withGameWide(x, y);
  if (x === "hunt" && other !== undefined) return aroundHunt(y);
  if (x === "hunt") return crossed(HUNTS_WITH[y] ?? [THE_HUNT], y === "void_hunt" ? [voidHunt()] : games);
  if (x === y) return games.flatMap((game, at) => crossed([game], games.slice(at)));
  if (x !== "void_hunt") return crossed(GAME_WIDE[x]?.operations ?? [], games);
  const affected = (["Ivy", "Ada", "Sam", "Jon"] as const).flatMap((who) => firstOf(y, who));
  return crossed([...affected, ...games], [voidHunt()]);
};

/** Operations that race with some others only, in these states of the game. */
const IN_STATES: readonly { states: readonly GameState[]; pairs: readonly Pair[] }[] = [
  {
    states: ["waiver"],
    pairs: [
      ...crossed(
        [sign("Wes"), sign("Hal"), enterPaper("Wes")],
        [changeWaiver("I play at nobody's risk."), changeWaiver(null)],
      ),
      [sign("Wes"), changeWaiver("I play at  my own risk.", { waiver_keeps_signatures: true })],
      [sign("Wes"), sign("Wes", "Other Name")],
      [withKey(sign("Wes")), withKey(sign("Wes"))],
      ...crossed([enterPaper("Wes")], [enterPaper("Wes"), enterPaper("Wes", "Other Name")]),
      ...crossed([sign("Wes"), sign("Hal")], [enterPaper("Wes"), enterPaper("Hal")]),
      ...(["Wes", "Hal"] as const).flatMap((who) =>
        crossed([sign(who), enterPaper(who)], [leave(who), remove(who), ban(who)]),
      ),
      [sign("Hal"), hunt("Ada", "Hal")],
      [sign("Ada"), hunt("Ada", "Hal")],
      [sign("Hal"), theSweep],
    ],
  },
  {
    states: ["running"],
    pairs: [
      ...crossed(
        [finish("humans")],
        [
          ...[THE_HUNT, lateHunt("Zed", "Hal"), theSweep, whileZedLives(theSweep)],
          ...[game("kill_all_not_at_checkpoint"), enforceMissions, closeMission("both"), reopenMission],
          ...[finish("zombies"), reopen, redeemOwn("Hal"), reportTagged("Hal"), voidHunt(), draw],
          ...[leave("Hal"), rename("Hal", "Nova"), game("pause_game"), feed(3)],
        ],
      ),
      ...crossed([finish("none", 0)], [THE_HUNT, lateHunt("Zed", "Hal"), theSweep, closeMission("both")]),
      [withKey(finish("humans")), withKey(finish("humans"))],
    ],
  },
  {
    states: ["mail"],
    pairs: mailPairs(
      (who) => [leave(who), remove(who), ban(who), changePassword(who, "new")],
      (who) => [remove(who), ban(who)],
    ),
  },
  ...registrationPairs({
    ...{ leave, remove, rename, editOther, ban, hunt, voidHunt, undo },
    changePassword: (who) => changePassword(who, "new"),
    onGame: [
      ...[game("kill_all_not_at_checkpoint"), enforceMissions, theSweep, game("pause_game")],
      ...[game("zombies_add_day"), feed(3), draw, finish("humans")],
    ],
    onMissions: [closeMission("both"), reopenMission],
  }),
  {
    states: ["finished"],
    pairs: [
      ...crossed([reopen], [finish("zombies"), reopen, lateHunt("Zed", "Hal"), theSweep, voidHunt()]),
      [withKey(reopen), withKey(reopen)],
    ],
  },
];

/** Every pair of operations, including each with itself, and those that race with some others only. */
export const PAIRS: readonly (readonly [string, string])[] = [
  ...KINDS.flatMap((x, at) => KINDS.slice(at).map((y) => [x, y] as const)),
  ...new Map(
    IN_STATES.flatMap(({ pairs }) => pairs).map(([{ kind: x }, { kind: y }]) => {
      const pair: [string, string] = x < y ? [x, y] : [y, x];
      return [pair.join(" "), pair] as const;
    }),
  ).values(),
];

/** The states of the game in which two kinds race. */
const statesFor = (kinds: readonly string[]): GameState[] => {
  if (kinds.includes("undo_checkpoint")) return ["enforced"];
  if (!kinds.includes("resume_game")) return ["running"];
  return kinds.includes("pause_game") ? ["paused", "running"] : ["paused"];
};

/** The variants of a pair. */
export const variantsOf = (x: string, y: string): Variant[] => {
  const isOf = ([{ kind }, other]: Pair): boolean =>
    (kind === x && other.kind === y) || (kind === y && other.kind === x);
  const further = IN_STATES.flatMap(({ states, pairs: some }) =>
    some.filter(isOf).flatMap((operations) => states.map((state): Variant => ({ operations, state }))),
  );
  if (further.length > 0) return further;
  const [, target = "Hal"] = SINGLES[x] ?? [];
  const same = x === y && RETRIED.includes(x) ? (GAME_WIDE[x]?.operations ?? singlesOf(x, target)) : [];
  const retried = same.map(withKey).map((one): Pair => [one, one]);
  const pairs = [...ordinary(x, y), ...ADDITIONAL.filter(isOf), ...retried];
  return pairs.flatMap((operations) => statesFor([x, y]).map((state) => ({ operations, state })));
};
