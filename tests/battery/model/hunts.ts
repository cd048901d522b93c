/** The model's rules of hunts: how tags are reported, completed and voided (decisions 17, 47, 48 and 91). */
import { HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { foldedOf } from "./names.ts";
import { ModelError, ok, type Rules, requireThat } from "./request.ts";
import type { Event, Model, Player } from "./state.ts";
import { eventView, isInfection, ownView } from "./views.ts";

const WINDOW = 6 * HOUR;
const MISSES_ALLOWED = 10;
const MISS_WINDOW = 10 * MINUTE;

/** The time of a reported tag. @throws ModelError `invalid_request` for an invalid time */
export const reportedTime = (m: Model, time: string | undefined, isLate = false): number => {
  const at = time === undefined ? m.now : Date.parse(time);
  requireThat(at <= m.now + 2 * MINUTE && (isLate || at >= game.playedUntil(m) - WINDOW), "invalid_request");
  return Math.min(at, m.now);
};

export const requireInPlay = (m: Model, at: number): void => {
  requireThat(m.pausedAt === null, "paused");
  requireThat(m.finish === null || at < m.finish.endsAt, "not_running");
  requireThat(!m.pauses.some(({ from, until }) => at >= from && at < until), "not_running");
};

/** @throws ModelError `too_many_attempts` after too many unknown codes */
export const requireNoLockout = (m: Model, player: Player): void => {
  player.misses = player.misses.filter((miss) => miss > m.now - MISS_WINDOW);
  const first = player.misses.at(-MISSES_ALLOWED);
  if (first !== undefined) throw new ModelError("too_many_attempts", first + MISS_WINDOW - m.now);
};

const requireDistinct = (hunter: Player, share_with: readonly string[]): void => {
  const fed = [hunter.alias, ...share_with].map(foldedOf);
  requireThat(new Set(fed).size === fed.length, "invalid_request");
};

/** The zombies with whom a feeding is shared. */
const sharersOf = (m: Model, share_with: readonly string[]): Player[] =>
  share_with.map((alias) => {
    const sharer = game.named(m, { alias });
    game.requireState(sharer, "zombie");
    return sharer;
  });

export const bareCode = (written: string): string => written.replaceAll(/[\s-]/g, "").toUpperCase();

/** The human with this code. @throws ModelError `unknown_tag_code`, `code_replaced`, `wrong_state`, `already_tagged` */
export const carrier = (m: Model, written: string): Player => {
  const code = bareCode(written);
  const owner = m.codes.get(code);
  requireThat(owner !== undefined, "unknown_tag_code");
  requireThat(!m.replaced.has(code), "code_replaced");
  const player = game.playerOf(m, owner);
  requireThat(player !== undefined, "wrong_state");
  requireThat(player.tag_code === code, "already_tagged");
  game.requireState(player, "human");
  return player;
};

/** A tag that a hunter reports. */
interface Tag {
  /** The event that waits for its hunter. */
  event?: Event | undefined;
  /** `undefined` if the prey has left. */
  prey: Player | undefined;
  target: string;
  /** The hunter's time, at the latest when the prey reported the tag or left. */
  at: number;
  codeSince?: number;
}

/** The tag of a code that was reported, or whose player left; `null` for others. @throws ModelError if it is late */
const earlierTag = (m: Model, code: string, at: number): Tag | null => {
  const reported = m.reported.get(code);
  const event = game.eventOf(m, reported?.event);
  if (reported !== undefined && event !== undefined) {
    const { waiting_since, voided_by, target } = event;
    requireThat(waiting_since !== null && voided_by === null, "already_tagged");
    requireThat(game.playedUntil(m) <= waiting_since + WINDOW, "already_tagged");
    const [prey, { codeSince }] = [game.playerOf(m, target), reported];
    return { event, prey, target: target ?? "", at: Math.min(at, waiting_since), codeSince };
  }
  const left = m.left.get(code);
  if (left === undefined) return null;
  requireThat(left.hunt === null, "already_tagged");
  requireThat(game.playedUntil(m) <= left.at + WINDOW, "wrong_state");
  return { prey: undefined, target: left.player, at: Math.min(at, left.at), codeSince: left.codeSince };
};

/** The tag of this code. An unknown code counts as a guess. @throws ModelError as {@link carrier} */
const tagOf = (m: Model, tag_code: string, hunter: Player, at: number): Tag => {
  const code = bareCode(tag_code);
  const earlier = earlierTag(m, code, at);
  if (earlier !== null) return earlier;
  // An invalid code does not count as a guess.
  if (!m.codes.has(code) && /^[2-9A-HJKMNP-Z]{8}$/.test(code)) hunter.misses.push(m.now);
  const prey = carrier(m, tag_code);
  return { prey, target: prey.id, at, codeSince: prey.code_since };
};

/** A life as a zombie: the event that began it, when, and when it ended if that was before the tag. */
type Life = Pick<Event, "id" | "at"> & { end?: number | null };

const presentLife = (zombie: Player): Life => ({
  id: zombie.infection_id ?? "",
  at: zombie.infected_at ?? 0,
});

const ENDS_OF_LIFE = ["starve", "corpsify", "cure", "revive_human", "checkpoint_kill"];

/** Whether the hunter of an infection can be named: nobody has it, and it was no draw. */
export const mayGetHunter = ({ kind, waiting_since, parent, drawn, returned, voided_by }: Event): boolean =>
  voided_by === null &&
  (waiting_since !== null || (kind === "revive_zombie" && parent === null && !drawn && !returned));

type Times = { from: number; until: number };

/** Between when the tag of an event without a hunter can have happened. */
const timesOf = ({ at, waiting_since }: Event): Times => {
  const until = waiting_since ?? at;
  return { from: Math.min(until - WINDOW, at), until };
};

/** The last life in which a player was a zombie between two times; `null` if they were not. */
export const lifeBetween = (m: Model, hunter: Player, { from, until }: Times): Life | null => {
  const { state, unrecorded } = hunter;
  const present = presentLife(hunter);
  if (state === "zombie" && present.at <= until) return present;
  let life: Life | null = null;
  let end: number | null = null;
  const events = m.record.filter((event) => event.target === hunter.id && event.at <= until);
  for (const event of events.toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1))) {
    if (event.voided_by !== null) continue;
    if (isInfection(event)) [life, end] = [event, null];
    if (ENDS_OF_LIFE.includes(event.kind)) end ??= event.at;
  }
  if (unrecorded !== null && unrecorded <= until) end ??= unrecorded;
  return life !== null && (end === null || end > from) ? { id: life.id, at: life.at, end } : null;
};

/** As {@link lifeBetween}. @throws ModelError if they were no zombie */
const lifeOf = (m: Model, hunter: Player, times: Times): Life => {
  const life = lifeBetween(m, hunter, times);
  if (life !== null) return life;
  throw new ModelError(hunter.state === "zombie" ? "too_early" : "wrong_state");
};

/** The starvation of which a player is dead who has this life; `null` for others. It must be recorded. */
export const starvationOf = (m: Model, { id, state, infection_id }: Player, life: Life): Event | null => {
  if (state !== "corpse" || infection_id !== life.id) return null;
  const isEnd = (event: Event): boolean =>
    event.target === id && event.voided_by === null && ENDS_OF_LIFE.includes(event.kind);
  const last = m.record.findLast(isEnd);
  return last?.kind === "starve" ? last : null;
};

/** Feeds somebody who starved after the hunt: they live, or starved later, if that lasts longer than they lived. */
const feedStarved = (m: Model, player: Player, starved: Event, since: number, hunt: Event): void => {
  game.reopen(player, starved.at);
  game.feed(m, player, since, hunt.id);
  if (player.deadline === starved.at) return;
  const facts = { target: player.id, voids: starved.id, late_tag: hunt.id };
  starved.voided_by = game.record(m, "revived_by_late_tag", facts).id;
  player.state = "zombie";
  game.pass(m, 0);
  if (game.recordStarvation(m, player)) return;
  const late_tag = { happened_at: rfc3339(hunt.hunted_at ?? hunt.at), starved_at: rfc3339(starved.at) };
  m.alerts.set(hunt.id, { hunter: player.id, late_tag });
};

interface TagOptions {
  /** Those who share the feeding; called after the checks of the hunter. */
  sharing?: () => Player[];
  life?: Life;
  /** Further facts of the event. */
  more?: Partial<Event>;
}

/** Whether an infection is another one, or followed from it. */
const isWithin = (m: Model, id: string | null, above: string): boolean =>
  id !== null && (id === above || isWithin(m, game.eventOf(m, id)?.parent ?? null, above));

/** Carries a tag out. @throws ModelError `wrong_state`, `too_early`, and what `sharing` throws */
const tag = (
  m: Model,
  hunter: Player,
  { event: waiting, prey, target, at: reportedAt, codeSince = 0 }: Tag,
  { sharing = () => [], life = presentLife(hunter), more }: TagOptions,
): Event => {
  requireThat(hunter.id !== target, "wrong_state");
  const latest = Math.min(waiting?.waiting_since ?? waiting?.at ?? Infinity, life.end ?? Infinity);
  const huntedAt = Math.min(reportedAt, latest);
  requireThat(huntedAt >= life.at && huntedAt >= codeSince, "too_early");
  const sharers = sharing();
  if (prey === undefined) game.disturb(m);
  const shared_with = sharers.map(({ id }) => id);
  requireThat(!shared_with.includes(target), "wrong_state");
  requireThat(waiting === undefined || !isWithin(m, life.id, waiting.id), "too_early");
  game.recordStarvation(m, hunter);
  const starved = starvationOf(m, hunter, life);
  // Nobody is tagged in the instant in which their hunter became a zombie, if there is a later one.
  const at = waiting === undefined ? huntedAt : Math.min(Math.max(waiting.at, life.at + 1), latest);
  const hunted_at = huntedAt === at ? null : huntedAt;
  const facts = { at, hunted_at, actor: hunter.id, target, parent: life.id, shared_with, ...more };
  if (waiting !== undefined) Object.assign(waiting, facts, { waiting_since: null, completed_at: m.now });
  const event = waiting ?? game.record(m, "hunt", facts);
  if (waiting === undefined && prey !== undefined) game.makeZombie(m, prey, event, hunter.id);
  else if (prey?.infection_id === event.id) Object.assign(prey, { infected_at: at, infected_by: hunter.id });
  hunter.kills.push({ hunt: event.id, at: huntedAt });
  const isAlive = hunter.state === "zombie" && hunter.infection_id === life.id;
  const since = Math.max(huntedAt, m.changedAt ?? huntedAt);
  for (const fed of [...(isAlive ? [hunter] : []), ...sharers]) game.feed(m, fed, since, event.id);
  if (starved !== null) feedStarved(m, hunter, starved, since, event);
  return event;
};

/** An effect on a player, as in the response. */
export const effectOn = ({ alias, state }: Player, effect: string, more = {}) => ({
  alias,
  effect,
  state,
  ...more,
});

const GONE = { alias: null, effect: "unchanged", state: null };

const undoPrey = (m: Model, hunt: Event, newCode: () => string) => {
  const prey = game.playerOf(m, hunt.target);
  if (prey === undefined) return GONE;
  if (prey.infection_id !== hunt.id || prey.state === "spectator") return effectOn(prey, "unchanged");
  game.recordStarvation(m, prey);
  game.makeHuman(m, prey, newCode());
  return effectOn(prey, "human_again");
};

const undoFed = (m: Model, id: string, hunt: Event): object[] => {
  const player = game.playerOf(m, id);
  if (player === undefined) return [GONE];
  const isHunter = id === hunt.actor;
  // Players who starved despite the feeding are recorded first.
  game.recordStarvation(m, player);
  const feeding = game.unfeed(m, player, hunt);
  const starvedAt = player.unrecorded;
  game.recordStarvation(m, player);
  if (isHunter) player.kills = player.kills.filter((kill) => kill.hunt !== hunt.id);
  const starves_at = player.state === "zombie" ? game.shownDeadline(m, player.deadline) : null;
  const effects = [
    ...(isHunter ? [effectOn(player, "kill_taken_back", { kills: player.kills.length })] : []),
    ...(feeding === null ? [] : [effectOn(player, feeding, { starves_at })]),
    ...(starvedAt === null ? [] : [effectOn(player, "starved", { at: rfc3339(starvedAt) })]),
  ];
  return effects.length > 0 ? effects : [effectOn(player, "unchanged")];
};

/** Voids a hunt. @throws ModelError `wrong_state` for other events, and for a hunt that was voided before */
export const voidHunt = (m: Model, hunt: Event, actor: string, reason: string, newCode: () => string) => {
  requireThat(hunt.kind === "hunt" && hunt.voided_by === null, "wrong_state");
  game.disturb(m);
  const { id, actor: hunter, shared_with, dispute } = hunt;
  const fed = hunter === null ? [] : [hunter, ...(shared_with ?? [])];
  // Read before the void: a player who starves because of it is reported as starved.
  const below = m.record
    .filter(({ parent, voided_by }) => parent === id && voided_by === null)
    .flatMap(({ id, target }) => m.players.filter((one) => one.id === target && one.infection_id === id))
    .flatMap((player) => (player.state === "zombie" ? [effectOn(player, "stays_zombie")] : []));
  const effects = [undoPrey(m, hunt, newCode), ...fed.flatMap((one) => undoFed(m, one, hunt)), ...below];
  if (dispute !== null)
    Object.assign(dispute, { status: "void", resolved: { at: m.now, by: actor, note: reason } });
  const event = game.record(m, "void", { actor, target: hunt.target, voids: id, hunter, reason });
  hunt.voided_by = event.id;
  return { event, effects };
};

export const HUNTS = {
  "POST /zombie/hunt/{url_id}": (m, { tag_code, hunted_at, share_with = [], note = null }, hunter) => {
    const at = reportedTime(m, hunted_at);
    requireDistinct(hunter, share_with);
    requireInPlay(m, at);
    const life = lifeBetween(m, hunter, { from: at, until: at });
    if (life === null) game.requireState(hunter, "zombie");
    requireNoLockout(m, hunter);
    const tagged = tagOf(m, tag_code, hunter, at);
    const options = { sharing: () => sharersOf(m, share_with), more: { note } };
    const event = tag(m, hunter, tagged, { ...options, ...(life === null ? {} : { life }) });
    const left = m.left.get(bareCode(tag_code));
    if (left !== undefined) left.hunt = event.id;
    const { prey } = tagged;
    return ok({
      interaction: eventView(m, event, hunter),
      hunter: {
        kills: hunter.kills.length,
        starves_at: hunter.state === "zombie" ? game.shownDeadline(m, hunter.deadline) : null,
      },
      prey: { alias: prey?.alias ?? null, state: prey?.state ?? null },
    });
  },

  "POST /player/report_tagged/{url_id}": (m, { tagged_at, by_alias: alias }, player) => {
    const at = reportedTime(m, tagged_at);
    requireThat(alias === undefined || foldedOf(alias) !== foldedOf(player.alias), "invalid_request");
    requireInPlay(m, at);
    const suspect = alias === undefined ? null : game.named(m, { alias }).id;
    game.requireState(player, "human");
    const { tag_code, code_since: codeSince } = player;
    requireThat(at >= codeSince, "too_early");
    const facts = { at, target: player.id, shared_with: [], waiting_since: m.now, suspect };
    const event = game.record(m, "hunt", facts);
    if (tag_code !== null) m.reported.set(tag_code, { event: event.id, codeSince });
    game.makeZombie(m, player, event, null);
    return ok({ player: ownView(m, player), interaction: eventView(m, event, player) });
  },

  "POST /admin/name_hunter/{url_id}": (m, { interaction_id, hunted_at, ...ref }, caller) => {
    const hunter = game.named(m, ref);
    const event = game.eventOf(m, interaction_id);
    requireThat(event !== undefined, "not_found");
    requireThat(mayGetHunter(event), "wrong_state");
    const { target } = event;
    const before = { ...caller };
    const reported = timesOf(event);
    const at = hunted_at === undefined ? reported.until : Date.parse(hunted_at);
    const life = lifeOf(m, hunter, at < reported.until ? { from: at, until: at } : reported);
    const more = event.waiting_since === null ? { kind: "hunt", entered_by: caller.id } : {};
    tag(m, hunter, { event, prey: game.playerOf(m, target), target: target ?? "", at }, { life, more });
    return ok({ player: ownView(m, hunter, before), interaction: eventView(m, event, caller) });
  },

  "POST /admin/hunt/{url_id}": (m, body, caller) => {
    const { hunter: alias, prey: player_id, hunted_at, share_with = [] } = body;
    const [hunter, prey] = [game.named(m, { alias }), game.named(m, { player_id })];
    const huntedAt = reportedTime(m, hunted_at, true);
    requireDistinct(hunter, share_with);
    requireThat(hunter !== prey, "invalid_request");
    requireInPlay(m, huntedAt);
    const infection = game.eventOf(m, prey.infection_id);
    const event = infection?.waiting_since == null ? undefined : infection;
    const exact = { from: huntedAt, until: huntedAt };
    const times = event === undefined || huntedAt < (event.waiting_since ?? 0) ? exact : timesOf(event);
    const life = lifeOf(m, hunter, times);
    if (event === undefined) game.requireState(prey, "human");
    const before = { ...caller };
    const codeSince = event === undefined ? prey.code_since : 0;
    const more = { entered_by: caller.id };
    const options = { life, sharing: () => sharersOf(m, share_with), more };
    const done = tag(m, hunter, { event, prey, target: prey.id, at: huntedAt, codeSince }, options);
    return ok({ player: ownView(m, hunter, before), interaction: eventView(m, done, caller) });
  },

  "POST /admin/void_hunt/{url_id}": (m, { interaction_id, reason, dry_run = false }, caller, { codeOf }) => {
    // A dry run does the same on a copy.
    const on = dry_run ? structuredClone(m) : m;
    const hunt = game.eventOf(on, interaction_id);
    requireThat(hunt !== undefined, "not_found");
    const newCode = (): string => (dry_run ? "ZZZZZZZZ" : codeOf(hunt.target ?? ""));
    const { event, effects } = voidHunt(on, hunt, caller.id, reason, newCode);
    return ok({ interaction: dry_run ? null : eventView(m, event, caller), dry_run, effects });
  },
} satisfies Rules;
