/** The variants of every pair of kinds: operations of these kinds, on the same players in several roles. */
import type { Name } from "../game.ts";
import type { GameState } from "./fixture.ts";
import {
  admit,
  ban,
  changePassword,
  draw,
  editOther,
  enrol,
  enterHunt,
  feed,
  game,
  group,
  hunt,
  importPlayer,
  KINDS,
  type Kind,
  label,
  lateHunt,
  leave,
  login,
  nameHunter,
  type Operation,
  onPlayer,
  remove,
  rename,
  reportTagged,
  scanCode,
  theSweep,
  undo,
  voidHunt,
  voidHunts,
  whileZedLives,
  withKey,
} from "./operations.ts";

/** Two operations, and the state of the game in which they race. */
export interface Variant {
  operations: readonly [Operation, Operation];
  state: GameState;
}

/** How an operation on one player is made, and the players for whom it is tested. */
interface Single {
  make: (who: Name) => Operation[];
  targets: readonly Name[];
}

const SINGLES: Partial<Record<Kind, Single>> = {
  cure: { make: (who) => [onPlayer("cure", who)], targets: ["Ada", "Ivy"] },
  corpsify: { make: (who) => [onPlayer("corpsify", who, "alias")], targets: ["Hal", "Ada"] },
  make_spectator: { make: (who) => [onPlayer("make_spectator", who)], targets: ["Hal", "Ada"] },
  revive_h: { make: (who) => [onPlayer("revive_h", who)], targets: ["Cid", "Zed"] },
  revive_z: { make: (who) => [onPlayer("revive_z", who, "alias")], targets: ["Cid", "Zed"] },
  feed_player: { make: (who) => [onPlayer("feed_player", who, "alias")], targets: ["Ada", "Yan"] },
  player_at_checkpoint: {
    make: (who) => (who === "Hal" ? [scanCode(who)] : [onPlayer("player_at_checkpoint", who, "alias")]),
    targets: ["Hal", "Ada"],
  },
  edit_player: { make: (who) => [rename(who, "Nova")], targets: ["Hal", "Ada"] },
  label: { make: (who) => [label(who)], targets: ["Hal", "Ada"] },
  revive_all: { make: (who) => [group("revive_all", who)], targets: ["Cid", "Zed"] },
  feed_group: { make: (who) => [group("feed_group", who)], targets: ["Ada", "Yan"] },
  delete_player: { make: (who) => [leave(who), remove(who)], targets: ["Hal", "Ada"] },
  change_password: { make: (who) => [changePassword(who, "new")], targets: ["Hal", "Ada"] },
  login: { make: (who) => [login(who)], targets: ["Hal", "Ada"] },
  report_tagged: { make: (who) => [reportTagged(who)], targets: ["Hal"] },
  // On the hunter, or on the prey.
  enter_hunt: {
    make: (who) => [enterHunt(["Hal", "Kit"].includes(who) ? who : "Hal")],
    targets: ["Ada", "Hal", "Kit"],
  },
  new_tag_code: { make: (who) => [onPlayer("new_tag_code", who)], targets: ["Hal"] },
  lift_lockout: { make: (who) => [onPlayer("lift_lockout", who)], targets: ["Ada"] },
  ban: { make: (who) => [ban(who)], targets: ["Hal", "Ada"] },
  admit: { make: (who) => [admit(who)], targets: ["Pru"] },
  enrol: { make: (who) => [enrol(who)], targets: ["Gil", "Pru"] },
  void_hunts: { make: () => [voidHunts()], targets: ["Ivy"] },
  // On the hunter or, with Kit, on the prey.
  name_hunter: { make: (who) => [nameHunter(who === "Kit" ? "Ada" : who)], targets: ["Ada", "Kit"] },
};

/** Operations on the whole game. */
const GAME_WIDE: Partial<Record<Kind, Operation[]>> = {
  feed: [feed(1), feed(3), feed(48)],
  sweep: [theSweep],
  zombies_add_day: [game("zombies_add_day")],
  pause_game: [game("pause_game")],
  resume_game: [game("resume_game")],
  kill_all_not_at_checkpoint: [game("kill_all_not_at_checkpoint")],
  draw_originals: [draw],
  import_players: [importPlayer],
  undo_checkpoint: [undo],
};

/** Further players for operations on the whole game: those who are due, hungriest, or have passed the checkpoint. */
const CONCERNED: Partial<Record<Kind, readonly Name[]>> = {
  feed: ["Yan", "Zed"],
  sweep: ["Zed"],
  zombies_add_day: ["Zed"],
  pause_game: ["Zed"],
  resume_game: ["Zed"],
  kill_all_not_at_checkpoint: ["Ida"],
  draw_originals: ["Hal", "Ida"],
  undo_checkpoint: ["Hal", "Ada"],
};

const crossed = (some: readonly Operation[], others: readonly Operation[]): [Operation, Operation][] =>
  some.flatMap((one) => others.map((other): [Operation, Operation] => [one, other]));

const unique = <T>(...lists: (readonly T[])[]): T[] => [...new Set(lists.flat())];

const THE_HUNT = hunt("Ada", "Hal", ["Sam"]);
const REVIVALS: readonly Kind[] = ["revive_h", "revive_z"];
const ENDINGS: readonly Kind[] = ["cure", "corpsify", "make_spectator", "delete_player"];

/** A hunt, and an operation on its prey, its hunter, or a player who shares it. */
const aroundHunt = (kind: Kind, single: Single): [Operation, Operation][] => [
  ...(["Hal", "Ada", "Sam"] as const).flatMap((who) => crossed([THE_HUNT], single.make(who))),
  ...(REVIVALS.includes(kind)
    ? [
        ...crossed([hunt("Ada", "Hal", ["Cid"]), hunt("Cid", "Hal")], single.make("Cid")),
        ...crossed([whileZedLives(hunt("Zed", "Hal")), lateHunt("Zed", "Hal")], single.make("Zed")),
      ]
    : []),
  ...(ENDINGS.includes(kind) ? crossed([lateHunt("Ada", "Hal", ["Sam"])], single.make("Ada")) : []),
];

const HUNTS_WITH: Partial<Record<Kind, Operation[]>> = {
  feed: [THE_HUNT, hunt("Yan", "Hal")],
  sweep: [
    THE_HUNT,
    whileZedLives(hunt("Zed", "Hal")),
    whileZedLives(hunt("Ada", "Hal", ["Zed"])),
    hunt("Ada", "Hal", ["Zed"]),
    lateHunt("Zed", "Hal"),
  ],
  zombies_add_day: [THE_HUNT, lateHunt("Zed", "Hal")],
  pause_game: [THE_HUNT, lateHunt("Zed", "Hal")],
  kill_all_not_at_checkpoint: [THE_HUNT, hunt("Ada", "Ida", ["Sam"])],
};

const HUNTS_IN_VOIDED_LIFE = [hunt("Ivy", "Hal"), hunt("Ada", "Hal", ["Sam"]), hunt("Sam", "Hal", ["Ivy"])];

const withGameWide = (plain: Kind, kind: Kind, single: Single): [Operation, Operation][] => {
  const operations = GAME_WIDE[plain] ?? [];
  const everybody = unique(single.targets, CONCERNED[plain] ?? []).flatMap(single.make);
  const first = operations.slice(0, 1);
  const late = plain === "sweep" ? single.make("Zed").map(whileZedLives) : [];
  const others = crossed(operations.slice(1), single.make(CONCERNED[plain]?.[0] ?? "Ada"));
  const revivals = plain === "feed" && REVIVALS.includes(kind) ? crossed([feed(48)], single.make("Cid")) : [];
  return [...crossed(first, [...everybody, ...late]), ...others, ...revivals];
};

/** Pairs of an operation with itself, and further variants of some pairs. */
const ADDITIONAL: [Operation, Operation][] = [
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
  [withKey(onPlayer("cure", "Ada")), withKey(onPlayer("cure", "Ada"))],
  [withKey(onPlayer("revive_z", "Cid")), withKey(onPlayer("revive_z", "Cid"))],
  [withKey(onPlayer("feed_player", "Yan")), withKey(onPlayer("feed_player", "Yan"))],
  [feed(1), feed(1)],
  [feed(3), feed(3)],
  [feed(1), feed(48)],
  [feed(48), feed(48)],
  [withKey(feed(3)), withKey(feed(3))],
  [withKey(feed(48)), withKey(feed(48))],
  [feed(3), whileZedLives(theSweep)],
  [whileZedLives(feed(3)), theSweep],
  [theSweep, theSweep],
  [whileZedLives(theSweep), theSweep],
  [game("zombies_add_day"), game("zombies_add_day")],
  [withKey(game("zombies_add_day")), withKey(game("zombies_add_day"))],
  [whileZedLives(game("zombies_add_day")), theSweep],
  [whileZedLives(game("pause_game")), theSweep],
  [game("pause_game"), game("pause_game")],
  [game("resume_game"), game("resume_game")],
  [game("kill_all_not_at_checkpoint"), game("kill_all_not_at_checkpoint")],
  [withKey(game("kill_all_not_at_checkpoint")), withKey(game("kill_all_not_at_checkpoint"))],
  [undo, undo],
  [withKey(undo), withKey(undo)],
  [rename("Hal", "Nova"), rename("Ada", "Nova")],
  [rename("Hal", "Nova"), rename("Ada", "N0va")],
  [rename("Hal", "Nova"), editOther("Hal", { alias_to: "Luna" }, "alias")],
  [rename("Hal", "Nova"), rename("Ada", "Hal")],
  [withKey(group("revive_all", "Cid")), withKey(group("revive_all", "Cid"))],
  [withKey(label("Hal", "Ada")), withKey(label("Hal", "Ada"))],
  [editOther("Gil", { is_admin: false }), editOther("Gus", { is_admin: false })],
  [editOther("Ada", { is_admin: true }), editOther("Ada", { is_admin: false })],
  [editOther("Gil", { is_admin: false }), editOther("Gil", { is_admin: true })],
  [editOther("Gil", { is_admin: false }), editOther("Ada", { is_admin: true })],
  [leave("Hal"), remove("Hal", "alias")],
  [leave("Gus"), leave("Gil")],
  [remove("Gil"), remove("Gus")],
  [rename("Ada", "Hal"), leave("Hal")],
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
  [withKey(nameHunter("Ada")), withKey(nameHunter("Ada"))],
  [reportTagged("Hal"), reportTagged("Hal")],
  [withKey(ban("Hal")), withKey(ban("Hal"))],
  [admit("Pru", "Hal"), admit("Pru")],
  [withKey(admit("Pru", "Hal")), withKey(admit("Pru", "Hal"))],
  [voidHunts(), voidHunt("jon")],
  [draw, draw],
  [draw, hunt("Ada", "Hal")],
  [importPlayer, importPlayer],
  [importPlayer, ban("Ida")],
];

const isOf = (x: Kind, y: Kind, [one, other]: readonly [Operation, Operation]): boolean =>
  (one.kind === x && other.kind === y) || (one.kind === y && other.kind === x);

const ordinary = (x: Kind, y: Kind): [Operation, Operation][] => {
  const [one, other] = [SINGLES[x], SINGLES[y]];
  if (one !== undefined && other !== undefined) {
    return unique(one.targets, other.targets).flatMap((who) =>
      crossed(one.make(who).slice(0, 1), other.make(who).slice(0, 1)),
    );
  }
  if (x === "hunt" && other !== undefined) return aroundHunt(y, other);
  if (x === "hunt" && y === "void_hunt") return crossed(HUNTS_IN_VOIDED_LIFE, [voidHunt()]);
  if (x === "hunt" && y !== "hunt") return crossed(HUNTS_WITH[y] ?? [THE_HUNT], GAME_WIDE[y] ?? []);
  if (x === "void_hunt" || y === "void_hunt") {
    const kind = x === "void_hunt" ? y : x;
    const single = SINGLES[kind];
    const others =
      single === undefined
        ? (GAME_WIDE[kind] ?? [voidHunt()])
        : (["Ivy", "Ada", "Sam", "Jon"] as const).flatMap((who) => single.make(who).slice(0, 1));
    return crossed(others, [voidHunt()]);
  }
  if (one !== undefined) return withGameWide(y, x, one);
  if (other !== undefined) return withGameWide(x, y, other);
  return x === y ? [] : crossed(GAME_WIDE[x] ?? [], GAME_WIDE[y] ?? []);
};

/** Every pair of operations, including each with itself. */
export const PAIRS: readonly (readonly [Kind, Kind])[] = KINDS.flatMap((x, at) =>
  KINDS.slice(at).map((y) => [x, y] as const),
);

/** The variants of a pair. */
export const variantsOf = (x: Kind, y: Kind): Variant[] => {
  const pairs = [...ordinary(x, y), ...ADDITIONAL.filter((operations) => isOf(x, y, operations))];
  const isResumed = x === "resume_game" || y === "resume_game";
  const both = (x === "resume_game" && y === "pause_game") || (x === "pause_game" && y === "resume_game");
  const isUndone = x === "undo_checkpoint" || y === "undo_checkpoint";
  const tables: GameState[] = isUndone
    ? ["enforced"]
    : isResumed
      ? both
        ? ["paused", "running"]
        : ["paused"]
      : ["running"];
  return pairs.flatMap((operations) => tables.map((state) => ({ operations, state })));
};
