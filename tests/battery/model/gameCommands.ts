/** Commands of players and game masters in the game, and the passing of time. */
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import {
  type Actions,
  byMaster,
  byPlayer,
  credentialsOf,
  insteadIf,
  masterCredentials,
  type Plan,
  refTo,
  requestOf,
  send,
  spellAlias,
} from "./actors.ts";
import type { Dice } from "./dice.ts";
import { inState, playerOf } from "./game.ts";
import { mayGetHunter } from "./hunts.ts";
import { LABELS, NOBODY } from "./names.ts";
import type { Event, Model, Player, State } from "./state.ts";
import { hungriest, isInfection } from "./views.ts";
import { LOCAL_CHANGES, rfc3339At } from "./zones.ts";

/** An instant as RFC 3339: in UTC, in local time, or with another offset from UTC, in minutes. */
const spellTime = (dice: Dice, instant: number): string => {
  const elsewhere = rfc3339At(instant, dice.pick([345, -210, 765, -720, 0]));
  return dice.pick([rfc3339(instant), rfc3339At(instant), elsewhere]);
};

/** Tag codes that nobody has. O and 0 are not in the alphabet. */
const UNKNOWN_CODES = ["QQQQQQQQ", "O0O0O0O0", "WXYZWXYZ"] as const;

const spellCode = (dice: Dice, code: string): string => {
  const [hyphenated, spaced] = [code.replace(/....$/, "-$&"), ` ${code.slice(0, 2)} ${code.slice(2)} `];
  return dice.pick([code, code.toLowerCase(), hyphenated, spaced]);
};

/** The prey's tag code; sometimes a former one, or that of a reported tag or of a player who has left recently. */
const chooseCode = (m: Model, dice: Dice, prey: Player): string => {
  const all = [...m.codes.keys()];
  const earlier = [...m.reported.keys(), ...m.left.keys()].slice(-6);
  const old = dice.chance(10) ? dice.maybeOne(all) : dice.chance(25) ? dice.maybeOne(earlier) : undefined;
  return old ?? prey.tag_code ?? dice.maybeOne(all) ?? UNKNOWN_CODES[0];
};

/** The time of a tag: none, one that is possible, or one at or beyond a limit. */
const tagTime = (m: Model, dice: Dice, hunter: Player, prey: Player): string | undefined => {
  const since = Math.max(hunter.infected_at ?? 0, prey.code_since, m.now - 6 * HOUR);
  if (!dice.chance(45)) return undefined;
  const possible = [since, m.now, Math.floor((since + m.now) / 2)] as const;
  const ahead = m.now + 2 * MINUTE;
  const boundary = [since - 1, m.now - 6 * HOUR - 1, m.now - 6 * HOUR, m.now + 1, ahead, ahead + 1] as const;
  return spellTime(dice, dice.chance(20) ? dice.pick(boundary) : dice.pick(possible));
};

/** Mostly a player in one of these states. */
const playerIn = (m: Model, dice: Dice, ...states: State[]): Player =>
  dice.prefer(inState(m, ...states), m.players);

/** A zombie and a human, mostly. */
const pair = (m: Model, dice: Dice) => [playerIn(m, dice, "zombie"), playerIn(m, dice, "human")] as const;

/** Usually makes a hunt possible: resumes the game, and revives a zombie and a human. */
function* makeHuntPossible(m: Model, dice: Dice): Actions<void> {
  if (dice.chance(20)) return;
  const credentials = { ...(yield* masterCredentials(m, dice)), key: null };
  if (m.pausedAt !== null) yield requestOf("POST /admin/resume_game/{url_id}", credentials, {});
  for (const [state, command] of [["zombie", "revive_z"] as const, ["human", "revive_h"] as const]) {
    const dead = dice.maybeOne(inState(m, "corpse"));
    if (inState(m, state).length > 0 || dead === undefined) continue;
    yield requestOf(`POST /admin/${command}/{url_id}`, credentials, { player_id: dead.id });
  }
}

export function* hunt(m: Model, dice: Dice): Actions {
  yield* makeHuntPossible(m, dice);
  const [hunter, prey] = pair(m, dice);
  const hunted_at = tagTime(m, dice, hunter, prey);
  const others = inState(m, "zombie").filter(({ id }) => id !== hunter.id);
  const sharers = Array.from({ length: dice.pick([0, 0, 1, 2]) }, () => dice.prefer(others, m.players));
  const share = sharers.map(({ alias }) => spellAlias(dice, alias));
  return yield* send("POST /zombie/hunt/{url_id}", yield* credentialsOf(m, dice, hunter), {
    tag_code: spellCode(dice, chooseCode(m, dice, prey)),
    ...(hunted_at === undefined ? {} : { hunted_at }),
    ...(share.length === 0 ? {} : { share_with: [...new Set(share)] }),
    ...dice.maybe(30, { note: "by the gate" }),
  });
}

const ENDS = ["starve", "corpsify", "cure", "checkpoint_kill"];

/** The latest ends of lives as a zombie, within the report window and a little before. */
const ends = (m: Model): Event[] =>
  m.record.filter(
    ({ kind, at, target }) =>
      ENDS.includes(kind) && at > m.now - 7 * HOUR && playerOf(m, target)?.infected_at != null,
  );

/** A tag that happened about when its hunter's life ended, and is reported afterwards. Mostly the hunter starved. */
export function* lateHunt(m: Model, dice: Dice): Actions {
  yield* makeHuntPossible(m, dice);
  const [hungriestOne] = hungriest(m);
  const starved = ({ kind }: Event): boolean => kind === "starve";
  if (m.pausedAt === null && hungriestOne !== undefined && (!ends(m).some(starved) || dice.chance(40))) {
    const { deadline } = hungriestOne;
    yield { pass: Math.min(deadline - m.now + dice.pick([SECOND, 0, MINUTE, 3 * HOUR]), 8 * DAY) };
    if (dice.chance(50)) yield { sweep: true };
  }
  const end = dice.maybeOne(dice.chance(70) ? ends(m).filter(starved) : ends(m));
  const starving = m.players.find(({ unrecorded }) => unrecorded !== null);
  const isUnrecorded = starving !== undefined && (end === undefined || dice.chance(60));
  const hunter = (isUnrecorded ? starving : playerOf(m, end?.target ?? null)) ?? playerIn(m, dice, "corpse");
  const endedAt = (isUnrecorded ? starving.unrecorded : end?.at) ?? m.now;
  let done = false;
  for (let times = dice.pick([1, 1, 2]); times > 0; times -= 1) {
    const prey = playerIn(m, dice, "human");
    const happened = Math.max(endedAt - dice.pick([1, MINUTE, HOUR, 5 * HOUR, 0]), prey.code_since);
    const sharer = dice.maybeOne(inState(m, "zombie").filter(({ id }) => id !== hunter.id));
    const hunted_at = spellTime(dice, Math.min(happened, m.now));
    const share =
      sharer === undefined ? {} : dice.maybe(30, { share_with: [spellAlias(dice, sharer.alias)] });
    if (dice.chance(20)) {
      const names = { hunter: spellAlias(dice, hunter.alias), prey: prey.id };
      const master = yield* masterCredentials(m, dice);
      done = yield* send("POST /admin/hunt/{url_id}", master, { ...names, hunted_at, ...share });
    } else {
      const tag_code = spellCode(dice, chooseCode(m, dice, prey));
      const credentials = yield* credentialsOf(m, dice, hunter);
      done = yield* send("POST /zombie/hunt/{url_id}", credentials, { tag_code, hunted_at, ...share });
    }
    const hunt = m.record.findLast(({ kind, voided_by }) => kind === "hunt" && voided_by === null);
    if (done && hunt !== undefined && dice.chance(25))
      yield* byMaster("void_hunt", () => ({ interaction_id: hunt.id, reason: "Not in time." }))(m, dice);
  }
  return done;
}

/** Somebody enters a code that may no longer be valid. */
function* enterCode(m: Model, dice: Dice, hunters: readonly Player[], code: string): Actions {
  const credentials = yield* credentialsOf(m, dice, dice.prefer(hunters, m.players));
  return yield* send("POST /zombie/hunt/{url_id}", credentials, { tag_code: spellCode(dice, code) });
}

/** A human reports being tagged; often a hunter enters the code afterwards. */
export function* reportTagged(m: Model, dice: Dice): Actions {
  yield* makeHuntPossible(m, dice);
  const [hunter, prey] = pair(m, dice);
  const tagged_at = tagTime(m, dice, hunter, prey);
  const { tag_code } = prey;
  const credentials = yield* credentialsOf(m, dice, prey);
  const reported = yield* send("POST /player/report_tagged/{url_id}", credentials, {
    ...(tagged_at === undefined ? {} : { tagged_at }),
    ...dice.maybe(50, { by_alias: dice.chance(5) ? NOBODY : spellAlias(dice, hunter.alias) }),
  });
  if (!reported || tag_code === null || !dice.chance(40)) return reported;
  return yield* enterCode(m, dice, [hunter], tag_code);
}

const withoutHunter = ({ record }: Model): Event[] => record.filter(mayGetHunter);

/** Names the hunter of an infection that has none, sometimes with a time. */
export const nameHunter = insteadIf(
  (m) => withoutHunter(m).length === 0,
  reportTagged,
  byMaster("name_hunter", (m, dice) => {
    const { id, at } = dice.prefer(withoutHunter(m), m.record);
    return {
      ...refTo(dice, playerIn(m, dice, "zombie")),
      interaction_id: id,
      ...dice.maybe(30, { hunted_at: spellTime(dice, at - dice.pick([0, 1, HOUR, 5 * HOUR])) }),
    };
  }),
);

/** A game master enters a tag, sometimes one by a former zombie. */
export function* enterHunt(m: Model, dice: Dice): Actions {
  yield* makeHuntPossible(m, dice);
  const [zombie, prey] = pair(m, dice);
  const hunter = dice.chance(60) ? zombie : dice.one(m.players);
  const infection = dice.maybeOne(m.record.filter((one) => one.target === hunter.id && isInfection(one)));
  const whileZombie = Math.max(infection?.at ?? 0, prey.code_since, m.now - 10 * DAY) + dice.pick([0, HOUR]);
  const hunted_at = dice.chance(50) ? spellTime(dice, whileZombie) : tagTime(m, dice, hunter, prey);
  const sharer = dice.maybeOne(inState(m, "zombie").filter(({ id }) => id !== hunter.id));
  return yield* send("POST /admin/hunt/{url_id}", yield* masterCredentials(m, dice), {
    hunter: spellAlias(dice, hunter.alias),
    prey: prey.id,
    ...(hunted_at === undefined ? {} : { hunted_at }),
    ...(sharer === undefined ? {} : dice.maybe(30, { share_with: [spellAlias(dice, sharer.alias)] })),
  });
}

/** A leaked code is replaced; often somebody enters the old one afterwards. */
export function* newTagCode(m: Model, dice: Dice): Actions {
  const [, prey] = pair(m, dice);
  const { tag_code } = prey;
  const done = yield* byMaster("new_tag_code", () => refTo(dice, prey))(m, dice);
  if (done && tag_code !== null && dice.chance(50)) yield* enterCode(m, dice, inState(m, "zombie"), tag_code);
  return done;
}

/** Unknown codes, sometimes more than are allowed. */
export function* guessCodes(m: Model, dice: Dice): Actions {
  const credentials = yield* credentialsOf(m, dice, pair(m, dice)[0]);
  let wasUnknown = false;
  for (let times = dice.pick([1, 3, 11]); times > 0; times -= 1) {
    const body = { tag_code: dice.pick(UNKNOWN_CODES) };
    const { code } = yield requestOf("POST /zombie/hunt/{url_id}", credentials, body);
    wasUnknown ||= code === "unknown_tag_code";
  }
  return wasUnknown;
}

/** Lifts the lock-out after unknown codes, mostly of a player who has entered one. */
export function* liftLockout(m: Model, dice: Dice): Actions {
  if (dice.chance(50)) yield* guessCodes(m, dice);
  const guessers = m.players.filter(({ misses }) => misses.length > 0);
  return yield* byMaster("lift_lockout", () => refTo(dice, dice.prefer(guessers, m.players)))(m, dice);
}

type PlayerCommand =
  | "make_spectator"
  | "corpsify"
  | "cure"
  | "revive_h"
  | "revive_z"
  | "feed_player"
  | "show_secrets";

/** A game master's command on one player in a fitting state. */
export const onPlayer = (command: PlayerCommand, ...states: State[]): Plan =>
  insteadIf(
    (m) => inState(m, ...states).length === 0,
    hunt,
    byMaster(command, (m, dice) => refTo(dice, playerIn(m, dice, ...states))),
  );

/** A group, chosen by alias, label or state, and whether it is a dry run. */
const groupBody = <S extends State>(m: Model, dice: Dice, state: S) => {
  const targets = Array.from({ length: dice.pick([1, 2, 3]) }, () => playerIn(m, dice, state));
  const aliases = targets.map(({ alias }) => (dice.chance(2) ? NOBODY : spellAlias(dice, alias)));
  const label = dice.pick(LABELS);
  type Group = { aliases?: string[]; label?: string; state?: S };
  const chosen = dice.pick<Group>([{ aliases }, { aliases, label }, { label }, { aliases, state }]);
  return { ...chosen, ...dice.maybe(25, { dry_run: true }) };
};

export const feedGroup = byMaster("feed_group", (m, dice) => groupBody(m, dice, "zombie"));

export const reviveAll = byMaster("revive_all", (m, dice) => ({
  ...groupBody(m, dice, "corpse"),
  ...dice.maybe(67, { as: dice.pick(["human", "zombie"]) }),
}));

/** A spectator asks to play; sometimes another player does, whose state must not change. */
const spectator = (m: Model, dice: Dice): Player => playerIn(m, dice, "spectator");
export const enrol = byPlayer("POST /player/enrol/{url_id}", spectator, () => ({}));

const SEEDS = ["00000000000000000000000000000000", "0123456789abcdef0123456789abcdef"] as const;

/** Some players volunteer as original zombies, or withdraw; then originals are drawn, or it is a dry run. */
export function* drawOriginals(m: Model, dice: Dice): Actions {
  for (let times = dice.pick([1, 2, 3]); times > 0; times -= 1) {
    const others = inState(m, "human").filter(({ wants_original }) => !wants_original);
    const credentials = yield* credentialsOf(m, dice, dice.prefer(others, m.players));
    yield requestOf("POST /edit_player/{url_id}", credentials, { wants_original: !dice.chance(15) });
  }
  return yield* byMaster("draw_originals", () => ({
    n: dice.pick([1, 1, 2, 3]),
    ...dice.maybe(30, { dry_run: true }),
    ...dice.maybe(50, { seed: dice.pick(SEEDS) }),
  }))(m, dice);
}

/** The future ends of feedings that do not decide their zombie's deadline. */
const otherEnds = (m: Model): number[] =>
  inState(m, "zombie")
    .flatMap(({ feedings, deadline }) => feedings.map(({ ends }) => ends).filter((ends) => ends < deadline))
    .filter((ends) => m.pausedAt === null && ends > m.now);

/** Adds a day, sometimes within a millisecond of the end of a feeding: a later void depends on which came first. */
export function* addDay(m: Model, dice: Dice): Actions {
  const until = dice.maybeOne(otherEnds(m));
  if (until !== undefined && dice.chance(60)) yield { pass: until - m.now + dice.pick([0, -1, 1]) };
  return yield* byMaster("zombies_add_day", () => ({}))(m, dice);
}

/** A tag of any human by this zombie. @returns its event, if it was accepted */
function* tagBy(m: Model, dice: Dice, hunter: Player): Actions<Event | undefined> {
  yield* makeHuntPossible(m, dice);
  const tag_code = dice.maybeOne(inState(m, "human"))?.tag_code;
  if (tag_code == null) return undefined;
  const credentials = yield* credentialsOf(m, dice, hunter);
  const done = yield* send("POST /zombie/hunt/{url_id}", credentials, { tag_code });
  return done ? m.record.findLast(({ kind, actor }) => kind === "hunt" && actor === hunter.id) : undefined;
}

/** A day is added when a feeding has just ended on which a zombie does not depend; then a tag of that zombie is void. */
export function* voidAcrossDay(m: Model, dice: Dice): Actions {
  const hunter = dice.maybeOne(inState(m, "zombie"));
  if (hunter === undefined || m.pausedAt !== null) return yield* hunt(m, dice);
  const { deadline } = hunter;
  const early = deadline - m.now - dice.pick([HOUR, 5 * HOUR, 1]);
  if (early > 0) yield { pass: early };
  const tag = yield* tagBy(m, dice, hunter);
  yield { pass: Math.max(0, deadline - m.now) + dice.pick([1, MINUTE, 2 * HOUR, 0]) };
  const done = yield* byMaster("zombies_add_day", () => ({}))(m, dice);
  if (dice.chance(75)) yield* tagBy(m, dice, hunter);
  if (tag === undefined) return done;
  return yield* byMaster("void_hunt", () => ({ interaction_id: tag.id, reason: "Too early." }))(m, dice);
}

const resumeGame = byMaster("resume_game", () => ({}));
export const resume = insteadIf(({ pausedAt }) => pausedAt === null, hunt, resumeGame);

export const setCheckpoint = byMaster("set_checkpoint", (m, dice) => {
  if (dice.chance(10)) return { clear: true };
  const closes_at = spellTime(dice, m.now + dice.pick([HOUR, 30 * MINUTE, 0, DAY]));
  return {
    name: dice.pick(["The bridge", "The mill"]),
    ...dice.maybe(40, { closes_at }),
    ...dice.maybe(50, { applies_to: dice.pick(["all", "humans", "zombies"]) }),
  };
});

export const passCheckpoint = insteadIf(
  ({ checkpoint }) => checkpoint === null,
  setCheckpoint,
  byMaster("player_at_checkpoint", (m, dice) => {
    const target = playerIn(m, dice, "human", "zombie");
    const code = dice.chance(10) ? dice.pick(UNKNOWN_CODES) : chooseCode(m, dice, target);
    const isByCode = target.tag_code !== null && dice.chance(40);
    return isByCode ? { tag_code: spellCode(dice, code) } : refTo(dice, target);
  }),
);

const UNKNOWN_CHECKPOINT = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

/** Registers some players at the checkpoint, and kills the others or makes a dry run. */
export function* killAll(m: Model, dice: Dice): Actions {
  if (m.checkpoint === null && !dice.chance(15)) yield* setCheckpoint(m, dice);
  const isDry = dice.chance(50);
  for (let passing = isDry ? 1 : 4; passing > 0; passing -= 1) yield* passCheckpoint(m, dice);
  const checkpoint_id = dice.chance(20) ? UNKNOWN_CHECKPOINT : m.checkpoint?.checkpoint_id;
  return yield* byMaster("kill_all_not_at_checkpoint", () => ({
    ...(isDry ? { dry_run: true } : {}),
    ...(checkpoint_id === undefined ? {} : dice.maybe(50, { checkpoint_id })),
  }))(m, dice);
}

/** Undoes an enforcement, sometimes after a revival; or makes a dry run. Mostly there is one to undo. */
export function* undoCheckpoint(m: Model, dice: Dice): Actions {
  const killed = () => m.players.filter((player) => player.killing !== null);
  if (killed().length === 0 && !dice.chance(20)) yield* killAll(m, dice);
  const dead = dice.maybeOne(killed());
  const id = dead?.killing?.checkpoint ?? m.checkpoint?.checkpoint_id ?? UNKNOWN_CHECKPOINT;
  if (dead !== undefined && dice.chance(40))
    yield* byMaster(dice.pick(["revive_h", "revive_z"]), () => ({ player_id: dead.id }))(m, dice);
  return yield* byMaster("undo_checkpoint", () => ({
    checkpoint_id: dice.chance(5) ? UNKNOWN_CHECKPOINT : id,
    reason: "The list was late.",
    ...dice.maybe(25, { dry_run: true }),
  }))(m, dice);
}

const voidable = ({ record }: Model): Event[] =>
  record.filter(({ kind, voided_by }) => kind === "hunt" && voided_by === null);
const ifVoidable = (plan: Plan): Plan => insteadIf((m) => voidable(m).length === 0, hunt, plan);

/** The hunts whose feedings decide a deadline; `null` stands for feedings without a hunt. */
const decisiveHunts = (m: Model): Set<string | null> =>
  new Set(
    inState(m, "zombie").flatMap(({ feedings, deadline }) =>
      feedings.flatMap(({ ends, hunt }) => (ends === deadline ? [hunt] : [])),
    ),
  );

/** Voids a hunt, sometimes after a dry run; or makes only a dry run. */
export const voidHunt = ifVoidable(function* (m, dice) {
  const decisive = decisiveHunts(m);
  const candidates = voidable(m).filter(({ id }) => decisive.has(id));
  const event = dice.prefer(dice.chance(50) && candidates.length > 0 ? candidates : voidable(m), m.record);
  const interaction_id = dice.chance(4) ? "01900000-0000-7000-8000-000000000000" : event.id;
  const body = { interaction_id, reason: "He was not near her." };
  if (dice.chance(30)) {
    const succeeded = yield* byMaster("void_hunt", () => ({ ...body, dry_run: true }))(m, dice);
    if (!succeeded || dice.chance(30)) return succeeded;
  }
  return yield* byMaster("void_hunt", () => body)(m, dice);
});

/** The hunter or the prey disputes a hunt, mostly a recent one. */
export const dispute = ifVoidable(function* (m, dice) {
  const event = dice.prefer(voidable(m).slice(-6), m.record);
  const sides = [event.actor, event.target].flatMap((id) => playerOf(m, id) ?? []);
  const credentials = yield* credentialsOf(m, dice, dice.prefer(sides, m.players));
  const body = { interaction_id: event.id, reason: `statement ${m.step}` };
  return yield* send("POST /interactions/dispute/{url_id}", credentials, body);
});

/** A game master resolves or comments on a dispute, mostly an open one. */
export function* resolveDispute(m: Model, dice: Dice): Actions {
  const disputed = () => m.record.filter((event) => event.dispute !== null);
  const open = () => disputed().filter((event) => event.dispute?.status === "open");
  if (open().length === 0) yield* dispute(m, dice);
  const { id: dispute_id } = dice.maybeOne(dice.chance(80) ? open() : disputed()) ?? dice.one(m.record);
  const comment = { dispute_id, comment: `statement ${m.step}` };
  const resolution = { dispute_id, outcome: dice.pick(["void", "stands"]), note: "Two saw it." };
  if (dice.chance(30)) return yield* byMaster("comment_dispute", () => comment)(m, dice);
  return yield* byMaster("resolve_dispute", () => resolution)(m, dice);
}

/** The next instants at which something ends or local time changes. */
const due = (m: Model): number[] =>
  [
    ...LOCAL_CHANGES,
    ...(m.pausedAt === null ? hungriest(m).map(({ deadline }) => deadline) : []),
    ...otherEnds(m),
    m.checkpoint?.closes_at ?? 0,
    ...[...m.recoveries, ...m.responses.values()].map(({ until }) => until),
    ...m.sessions.map(({ expires_at }) => expires_at),
  ]
    .filter((at) => at > m.now)
    .toSorted((one, other) => one - other);

/** Lets time pass: a little, a lot, or until a deadline, a millisecond before or after it. */
export function* wait(m: Model, dice: Dice): Actions {
  const [nextToStarve] = m.pausedAt === null ? hungriest(m) : [];
  const soonest = dice.maybeOne(due(m).slice(0, 3));
  const timeUntil = (at: number | undefined): number =>
    at === undefined ? MINUTE : at - m.now + dice.pick([0, -1, 1]);
  const milliseconds = dice.pick([
    dice.pick([HOUR, 3 * HOUR, 5 * HOUR, 7 * HOUR]),
    timeUntil(nextToStarve?.deadline),
    dice.pick([1, SECOND, MINUTE, 11 * MINUTE]),
    dice.pick([12 * HOUR, DAY, 40 * HOUR, 8 * DAY]),
    timeUntil(soonest),
  ]);
  // A limit, so that not everybody starves.
  yield { pass: milliseconds > 8 * DAY ? HOUR : milliseconds };
  return true;
}

/** Milliseconds between two commands, usually 0. */
export const shortWait = (dice: Dice): number =>
  dice.pick([0, 0, 0, 1, 700, SECOND, 40 * SECOND, 10 * MINUTE]);
