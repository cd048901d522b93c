/** Commands of players and game masters in the game, and the passing of time. */
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { inState, playerOf } from "./game.ts";
import { mayGetHunter } from "./hunts.ts";
import { LABELS, NOBODY } from "./names.ts";
import type { Event, Model, Player, State } from "./state.ts";
import { type Actions, insteadIf, type MasterCommand, type Plan, requestOf, type Turn } from "./turn.ts";
import { hungriest, isInfection } from "./views.ts";
import { LOCAL_CHANGES, rfc3339At } from "./zones.ts";

const HUNT = "POST /zombie/hunt/{url_id}";

/** An instant as RFC 3339: in UTC, in local time, or with another offset from UTC, in minutes. */
export const spellTime = (t: Turn, instant: number): string => {
  const elsewhere = rfc3339At(instant, t.pick([345, -210, 765, -720, 0]));
  return t.pick([rfc3339(instant), rfc3339At(instant), elsewhere]);
};

/** Tag codes that nobody has. O and 0 are not in the alphabet. */
const UNKNOWN_CODES = ["QQQQQQQQ", "O0O0O0O0", "WXYZWXYZ"] as const;

const spellCode = (t: Turn, code: string): string => {
  const [hyphenated, spaced] = [code.replace(/....$/, "-$&"), ` ${code.slice(0, 2)} ${code.slice(2)} `];
  return t.pick([code, code.toLowerCase(), hyphenated, spaced]);
};

/** The prey's tag code; sometimes a former one, or that of a reported tag or of a player who has left recently. */
const chooseCode = (t: Turn, prey: Player): string => {
  const all = [...t.m.codes.keys()];
  const earlier = [...t.m.reported.keys(), ...t.m.left.keys()].slice(-6);
  const old = t.chance(10) ? t.maybeOne(all) : t.chance(25) ? t.maybeOne(earlier) : undefined;
  return spellCode(t, old ?? prey.tag_code ?? t.maybeOne(all) ?? UNKNOWN_CODES[0]);
};

/** The time of a tag in a field of a request: none, one that is possible, or one at or beyond a limit. */
const tagTime = <F extends string>(t: Turn, field: F, hunter: Player, prey: Player) => {
  const { now } = t.m;
  const since = Math.max(hunter.infected_at ?? 0, prey.code_since, now - 6 * HOUR);
  const possible = [since, now, Math.floor((since + now) / 2)] as const;
  const ahead = now + 2 * MINUTE;
  const boundary = [since - 1, now - 6 * HOUR - 1, now - 6 * HOUR, now + 1, ahead, ahead + 1] as const;
  const time = spellTime(t, t.chance(20) ? t.pick(boundary) : t.pick(possible));
  return t.maybe(45, { [field]: time } as Record<F, string>);
};

/** A zombie and a human, mostly. */
const pair = (t: Turn) => [t.playerIn("zombie"), t.playerIn("human")] as const;

/** Sometimes another zombie with whom a feeding is shared. */
const maybeSharer = (t: Turn, { id }: Player): { share_with?: string[] } => {
  const sharer = t.maybeOne(inState(t.m, "zombie").filter((one) => one.id !== id));
  return sharer === undefined ? {} : t.maybe(30, { share_with: [t.spell(sharer.alias)] });
};

/** Usually makes a hunt possible: resumes the game, and revives a zombie and a human. */
export function* makeHuntPossible(t: Turn): Actions<void> {
  if (t.chance(20)) return;
  if (t.m.pausedAt !== null) yield* t.master("resume_game", {});
  for (const [state, command] of [["zombie", "revive_z"] as const, ["human", "revive_h"] as const]) {
    const dead = t.maybeOne(inState(t.m, "corpse"));
    if (inState(t.m, state).length > 0 || dead === undefined) continue;
    yield* t.master(command, { player_id: dead.id });
  }
}

export function* hunt(t: Turn): Actions {
  yield* makeHuntPossible(t);
  const [hunter, prey] = pair(t);
  const others = inState(t.m, "zombie").filter(({ id }) => id !== hunter.id);
  const sharers = Array.from({ length: t.pick([0, 0, 1, 2]) }, () => t.prefer(others, t.m.players));
  const share_with = [...new Set(sharers.map(({ alias }) => t.spell(alias)))];
  return yield* t.by(hunter, HUNT, {
    tag_code: chooseCode(t, prey),
    ...tagTime(t, "hunted_at", hunter, prey),
    ...(share_with.length === 0 ? {} : { share_with }),
    ...t.maybe(30, { note: "by the gate" }),
  });
}

const ENDS = ["starve", "corpsify", "cure", "checkpoint_kill"];

/** The latest ends of lives as a zombie, within the report window and a little before. */
const ends = (m: Model): Event[] =>
  m.record.filter(
    ({ kind, at, target }) =>
      ENDS.includes(kind) && at > m.now - 7 * HOUR && playerOf(m, target)?.infected_at != null,
  );

const lastHunt = (m: Model): Event | undefined =>
  m.record.findLast(({ kind, voided_by }) => kind === "hunt" && voided_by === null);

/** A tag that happened about when its hunter's life ended, and is reported afterwards. Mostly the hunter starved. */
export function* lateHunt(t: Turn): Actions {
  const { m } = t;
  yield* makeHuntPossible(t);
  const [hungriestOne] = hungriest(m);
  const starved = ({ kind }: Event): boolean => kind === "starve";
  if (m.pausedAt === null && hungriestOne !== undefined && (!ends(m).some(starved) || t.chance(40))) {
    const { deadline } = hungriestOne;
    yield { pass: Math.min(deadline - m.now + t.pick([SECOND, 0, MINUTE, 3 * HOUR]), 8 * DAY) };
    if (t.chance(50)) yield { sweep: true };
  }
  const end = t.maybeOne(t.chance(70) ? ends(m).filter(starved) : ends(m));
  const starving = m.players.find(({ unrecorded }) => unrecorded !== null);
  const isUnrecorded = starving !== undefined && (end === undefined || t.chance(60));
  const hunter = (isUnrecorded ? starving : playerOf(m, end?.target ?? null)) ?? t.playerIn("corpse");
  const endedAt = (isUnrecorded ? starving.unrecorded : end?.at) ?? m.now;
  let done = false;
  for (let times = t.pick([1, 1, 2]); times > 0; times -= 1) {
    const prey = t.playerIn("human");
    const happened = Math.max(endedAt - t.pick([1, MINUTE, HOUR, 5 * HOUR, 0]), prey.code_since);
    const more = { hunted_at: spellTime(t, Math.min(happened, m.now)), ...maybeSharer(t, hunter) };
    done = yield* t.chance(20)
      ? t.master("hunt", { hunter: t.spell(hunter.alias), prey: prey.id, ...more })
      : t.by(hunter, HUNT, { tag_code: chooseCode(t, prey), ...more });
    const hunt = lastHunt(m);
    if (done && hunt !== undefined && t.chance(25))
      yield* t.master("void_hunt", { interaction_id: hunt.id, reason: "Not in time." });
  }
  return done;
}

/** Somebody enters a code that may no longer be valid. */
const enterCode = (t: Turn, hunters: readonly Player[], code: string): Actions =>
  t.by(t.prefer(hunters, t.m.players), HUNT, { tag_code: spellCode(t, code) });

/** A human reports being tagged; often a hunter enters the code afterwards. */
export function* reportTagged(t: Turn): Actions {
  yield* makeHuntPossible(t);
  const [hunter, prey] = pair(t);
  const { tag_code } = prey;
  const reported = yield* t.by(prey, "POST /player/report_tagged/{url_id}", {
    ...tagTime(t, "tagged_at", hunter, prey),
    ...t.maybe(50, { by_alias: t.chance(5) ? NOBODY : t.spell(hunter.alias) }),
  });
  if (!reported || tag_code === null || !t.chance(40)) return reported;
  return yield* enterCode(t, [hunter], tag_code);
}

const withoutHunter = ({ record }: Model): Event[] => record.filter(mayGetHunter);

/** Names the hunter of an infection that has none, sometimes with a time. */
export const nameHunter = insteadIf(
  (m) => withoutHunter(m).length === 0,
  reportTagged,
  (t) => {
    const { id, at } = t.prefer(withoutHunter(t.m), t.m.record);
    const hunted_at = spellTime(t, at - t.pick([0, 1, HOUR, 5 * HOUR]));
    const named = { ...t.ref(t.playerIn("zombie")), interaction_id: id };
    return t.master("name_hunter", { ...named, ...t.maybe(30, { hunted_at }) });
  },
);

/** A game master enters a tag, sometimes one by a former zombie. */
export function* enterHunt(t: Turn): Actions {
  yield* makeHuntPossible(t);
  const { now, players, record } = t.m;
  const [zombie, prey] = pair(t);
  const hunter = t.chance(60) ? zombie : t.one(players);
  const infection = t.maybeOne(record.filter((one) => one.target === hunter.id && isInfection(one)));
  const whileZombie = Math.max(infection?.at ?? 0, prey.code_since, now - 10 * DAY) + t.pick([0, HOUR]);
  return yield* t.master("hunt", {
    ...{ hunter: t.spell(hunter.alias), prey: prey.id },
    ...(t.chance(50) ? { hunted_at: spellTime(t, whileZombie) } : tagTime(t, "hunted_at", hunter, prey)),
    ...maybeSharer(t, hunter),
  });
}

/** A leaked code is replaced; often somebody enters the old one afterwards. */
export function* newTagCode(t: Turn): Actions {
  const prey = t.playerIn("human");
  const { tag_code } = prey;
  const done = yield* t.master("new_tag_code", t.ref(prey));
  if (done && tag_code !== null && t.chance(50)) yield* enterCode(t, inState(t.m, "zombie"), tag_code);
  return done;
}

/** Unknown codes, sometimes more than are allowed. */
export function* guessCodes(t: Turn): Actions {
  const credentials = yield* t.credentialsOf(t.playerIn("zombie"));
  let wasUnknown = false;
  for (let times = t.pick([1, 3, 11]); times > 0; times -= 1) {
    const { code } = yield requestOf(HUNT, credentials, { tag_code: t.pick(UNKNOWN_CODES) });
    wasUnknown ||= code === "unknown_tag_code";
  }
  return wasUnknown;
}

/** Lifts the lock-out after unknown codes, mostly of a player who has entered one. */
export function* liftLockout(t: Turn): Actions {
  if (t.chance(50)) yield* guessCodes(t);
  const guessers = t.m.players.filter(({ misses }) => misses.length > 0);
  return yield* t.master("lift_lockout", t.ref(t.prefer(guessers, t.m.players)));
}

type PlayerCommand = MasterCommand &
  ("make_spectator" | "corpsify" | "cure" | "revive_h" | "revive_z" | "feed_player" | "show_secrets");

/** A game master's command on one player in a fitting state. */
export const onPlayer = (command: PlayerCommand, ...states: State[]): Plan =>
  insteadIf(
    (m) => inState(m, ...states).length === 0,
    hunt,
    (t) => t.master(command, t.ref(t.playerIn(...states))),
  );

/** A group, chosen by alias, label or state, and whether it is a dry run. */
const groupBody = <S extends State>(t: Turn, state: S) => {
  const targets = Array.from({ length: t.pick([1, 2, 3]) }, () => t.playerIn(state));
  const aliases = targets.map(({ alias }) => (t.chance(2) ? NOBODY : t.spell(alias)));
  const label = t.pick(LABELS);
  type Group = { aliases?: string[]; label?: string; state?: S };
  const chosen = t.pick<Group>([{ aliases }, { aliases, label }, { label }, { aliases, state }]);
  return { ...chosen, ...t.maybe(25, { dry_run: true }) };
};

export const feedGroup: Plan = (t) => t.master("feed_group", groupBody(t, "zombie"));

export const reviveAll: Plan = (t) => {
  const as = t.maybe(67, { as: t.pick(["human", "zombie"]) });
  return t.master("revive_all", { ...groupBody(t, "corpse"), ...as });
};

/** A spectator asks to play; sometimes another player does, whose state must not change. */
export const enrol: Plan = (t) => t.by(t.playerIn("spectator"), "POST /player/enrol/{url_id}", {});

/** Some players volunteer as original zombies, or withdraw; then originals are drawn, or it is a dry run. */
export function* drawOriginals(t: Turn): Actions {
  for (let times = t.pick([1, 2, 3]); times > 0; times -= 1) {
    const others = inState(t.m, "human").filter(({ wants_original }) => !wants_original);
    const volunteer = t.prefer(others, t.m.players);
    yield* t.by(volunteer, "POST /edit_player/{url_id}", { wants_original: !t.chance(15) });
  }
  return yield* t.master("draw_originals", {
    n: t.pick([1, 1, 2, 3]),
    ...t.maybe(30, { dry_run: true }),
  });
}

/** The future ends of feedings that do not decide their zombie's deadline. */
const otherEnds = (m: Model): number[] =>
  inState(m, "zombie")
    .flatMap(({ feedings, deadline }) => feedings.map(({ ends }) => ends).filter((ends) => ends < deadline))
    .filter((ends) => m.pausedAt === null && ends > m.now);

/** Adds a day, sometimes within a millisecond of the end of a feeding: a later void depends on which came first. */
export function* addDay(t: Turn): Actions {
  const until = t.maybeOne(otherEnds(t.m));
  if (until !== undefined && t.chance(60)) yield { pass: until - t.m.now + t.pick([0, -1, 1]) };
  return yield* t.master("zombies_add_day", {});
}

/** A tag of any human by this zombie. @returns its event, if it was accepted */
function* tagBy(t: Turn, hunter: Player): Actions<Event | undefined> {
  yield* makeHuntPossible(t);
  const tag_code = t.maybeOne(inState(t.m, "human"))?.tag_code;
  if (tag_code == null || !(yield* t.by(hunter, HUNT, { tag_code }))) return undefined;
  return t.m.record.findLast(({ kind, actor }) => kind === "hunt" && actor === hunter.id);
}

/** A day is added when a feeding has just ended on which a zombie does not depend; then a tag of that zombie is void. */
export function* voidAcrossDay(t: Turn): Actions {
  const { m } = t;
  const hunter = t.maybeOne(inState(m, "zombie"));
  if (hunter === undefined || m.pausedAt !== null) return yield* hunt(t);
  const { deadline } = hunter;
  const early = deadline - m.now - t.pick([HOUR, 5 * HOUR, 1]);
  if (early > 0) yield { pass: early };
  const tag = yield* tagBy(t, hunter);
  yield { pass: Math.max(0, deadline - m.now) + t.pick([1, MINUTE, 2 * HOUR, 0]) };
  const done = yield* t.master("zombies_add_day", {});
  if (t.chance(75)) yield* tagBy(t, hunter);
  if (tag === undefined) return done;
  return yield* t.master("void_hunt", { interaction_id: tag.id, reason: "Too early." });
}

export const resume = insteadIf(
  ({ pausedAt }) => pausedAt === null,
  hunt,
  (t) => t.master("resume_game", {}),
);

export const setCheckpoint: Plan = (t) => {
  if (t.chance(10)) return t.master("set_checkpoint", { clear: true });
  const closes_at = spellTime(t, t.m.now + t.pick([HOUR, 30 * MINUTE, 0, DAY]));
  return t.master("set_checkpoint", {
    name: t.pick(["The bridge", "The mill"]),
    ...t.maybe(40, { closes_at }),
    ...t.maybe(50, { applies_to: t.pick(["all", "humans", "zombies"]) }),
  });
};

export const passCheckpoint = insteadIf(
  ({ checkpoint }) => checkpoint === null,
  setCheckpoint,
  (t) => {
    const target = t.playerIn("human", "zombie");
    const tag_code = t.chance(10) ? spellCode(t, t.pick(UNKNOWN_CODES)) : chooseCode(t, target);
    const isByCode = target.tag_code !== null && t.chance(40);
    return t.master("player_at_checkpoint", isByCode ? { tag_code } : t.ref(target));
  },
);

const UNKNOWN_CHECKPOINT = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

/** Registers some players at the checkpoint, and kills the others or makes a dry run. */
export function* killAll(t: Turn): Actions {
  if (t.m.checkpoint === null && !t.chance(15)) yield* setCheckpoint(t);
  const isDry = t.chance(50);
  for (let passing = isDry ? 1 : 4; passing > 0; passing -= 1) yield* passCheckpoint(t);
  const checkpoint_id = t.chance(20) ? UNKNOWN_CHECKPOINT : t.m.checkpoint?.checkpoint_id;
  return yield* t.master("kill_all_not_at_checkpoint", {
    ...(isDry ? { dry_run: true } : {}),
    ...(checkpoint_id === undefined ? {} : t.maybe(50, { checkpoint_id })),
  });
}

/** Undoes an enforcement, sometimes after a revival; or makes a dry run. Mostly there is one to undo. */
export function* undoCheckpoint(t: Turn): Actions {
  const killed = () => t.m.players.filter((player) => player.killing !== null);
  if (killed().length === 0 && !t.chance(20)) yield* killAll(t);
  const dead = t.maybeOne(killed());
  const id = dead?.killing?.checkpoint ?? t.m.checkpoint?.checkpoint_id ?? UNKNOWN_CHECKPOINT;
  if (dead !== undefined && t.chance(40))
    yield* t.master(t.pick(["revive_h", "revive_z"]), { player_id: dead.id });
  const checkpoint_id = t.chance(5) ? UNKNOWN_CHECKPOINT : id;
  const dry = t.maybe(25, { dry_run: true });
  return yield* t.master("undo_checkpoint", { checkpoint_id, reason: "The list was late.", ...dry });
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
export const voidHunt = ifVoidable(function* (t) {
  const { m } = t;
  const decisive = decisiveHunts(m);
  const candidates = voidable(m).filter(({ id }) => decisive.has(id));
  const event = t.prefer(t.chance(50) && candidates.length > 0 ? candidates : voidable(m), m.record);
  const interaction_id = t.chance(4) ? "01900000-0000-7000-8000-000000000000" : event.id;
  const body = { interaction_id, reason: "He was not near her." };
  if (t.chance(30)) {
    const succeeded = yield* t.master("void_hunt", { ...body, dry_run: true });
    if (!succeeded || t.chance(30)) return succeeded;
  }
  return yield* t.master("void_hunt", body);
});

/** The hunter or the prey disputes a hunt, mostly a recent one. */
export const dispute = ifVoidable((t) => {
  const { m } = t;
  const event = t.prefer(voidable(m).slice(-6), m.record);
  const sides = [event.actor, event.target].flatMap((id) => playerOf(m, id) ?? []);
  const body = { interaction_id: event.id, reason: `statement ${m.step}` };
  return t.by(t.prefer(sides, m.players), "POST /interactions/dispute/{url_id}", body);
});

/** A game master resolves or comments on a dispute, mostly an open one. */
export function* resolveDispute(t: Turn): Actions {
  const disputed = () => t.m.record.filter((event) => event.dispute !== null);
  const open = () => disputed().filter((event) => event.dispute?.status === "open");
  if (open().length === 0) yield* dispute(t);
  const { id: dispute_id } = t.maybeOne(t.chance(80) ? open() : disputed()) ?? t.one(t.m.record);
  if (t.chance(30))
    return yield* t.master("comment_dispute", { dispute_id, comment: `statement ${t.m.step}` });
  const outcome = t.pick(["void", "stands"]);
  return yield* t.master("resolve_dispute", { dispute_id, outcome, note: "Two saw it." });
}

/** The next instants at which something ends or local time changes. */
const due = (m: Model): number[] =>
  [
    ...[...LOCAL_CHANGES, ...otherEnds(m), m.checkpoint?.closes_at ?? 0],
    ...(m.pausedAt === null ? hungriest(m).map(({ deadline }) => deadline) : []),
    ...[...m.recoveries, ...m.responses.values()].map(({ until }) => until),
    ...m.sessions.map(({ expires_at }) => expires_at),
  ]
    .filter((at) => at > m.now)
    .toSorted((one, other) => one - other);

/** Lets time pass: a little, a lot, or until a deadline, a millisecond before or after it. */
export function* wait(t: Turn): Actions {
  const { m } = t;
  const [nextToStarve] = m.pausedAt === null ? hungriest(m) : [];
  const timeUntil = (at: number | undefined): number =>
    at === undefined ? MINUTE : at - m.now + t.pick([0, -1, 1]);
  const milliseconds = t.pick([
    t.pick([HOUR, 3 * HOUR, 5 * HOUR, 7 * HOUR]),
    timeUntil(nextToStarve?.deadline),
    t.pick([1, SECOND, MINUTE, 11 * MINUTE]),
    t.pick([12 * HOUR, DAY, 40 * HOUR, 8 * DAY]),
    timeUntil(t.maybeOne(due(m).slice(0, 3))),
  ]);
  // A limit, so that not everybody starves.
  yield { pass: milliseconds > 8 * DAY ? HOUR : milliseconds };
  return true;
}

/** Milliseconds between two commands, usually 0. */
export const shortWait = (t: Turn): number => t.pick([0, 0, 0, 1, 700, SECOND, 40 * SECOND, 10 * MINUTE]);
