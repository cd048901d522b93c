/** The model's rules of codes (decisions 121 and 122). */
import { SECOND } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import {
  bareCode,
  effectOn,
  lifeBetween,
  reportedTime,
  requireInPlay,
  requireNoLockout,
  starvationOf,
} from "./hunts.ts";
import { ModelError, ok, type Rules, requireThat } from "./request.ts";
import type { Batch, Event, Model, Player, Reward, State } from "./state.ts";
import { eventView, ownView, pick } from "./views.ts";

const MAX_BADGES = 10;

/** What a player is after an event. */
export const AFTER: Readonly<Record<string, State>> = {
  ...{ hunt: "zombie", revive_zombie: "zombie", cure: "human", revive_human: "human" },
  ...{ corpsify: "corpse", starve: "corpse", checkpoint_kill: "corpse" },
};

/** Whether a player who was no zombie at a time was human by the record. What a voided tag began has not happened. */
const wasHuman = (m: Model, player: Player, at: number): boolean => {
  if (at === m.now) return player.state === "human";
  if (at < player.created_at) return false;
  const own = m.record
    .filter(({ kind, target }) => target === player.id && kind in AFTER)
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  const [first] = own;
  // Whoever is revived first did not play.
  const began =
    first === undefined
      ? player.state
      : first.kind.startsWith("revive") && !first.drawn
        ? "spectator"
        : "human";
  let state: State = began;
  // The void of the tag that began the life. What happened after the void happened to a human.
  let voidOfLife: string | null = null;
  for (const { id, kind, voided_by, withdrawn } of own.filter((event) => event.at <= at)) {
    const after = AFTER[kind] ?? "corpse";
    if (after !== "zombie" && voided_by !== null) continue;
    if (after !== "corpse") voidOfLife = after === "zombie" ? voided_by : null;
    const isVoided = voidOfLife !== null && id < voidOfLife;
    state = withdrawn ? "spectator" : isVoided ? "human" : after;
  }
  return state === "human";
};

/** What gives something: a batch of codes, or a mission. */
type Gift = Pick<Batch, "effect"> & Pick<Reward, "source">;

type Life = NonNullable<ReturnType<typeof lifeBetween>>;

/** Whether a code would make this zombie human: once, and no original, whom no player has infected. */
const isCurable = (m: Model, player: Player): boolean => {
  const infection = game.eventOf(m, player.infection_id);
  const isOriginal = infection?.kind === "revive_zombie" && player.infected_by === null;
  return player.antidote === null && !isOriginal;
};

/** What a code does to a player in a life, before anything is changed. */
const prospects = (m: Model, player: Player, { effect }: Gift, life: Life | null, at: number) => {
  const since = Math.max(at, m.changedAt ?? at);
  const isLast = life !== null && player.infection_id === life.id;
  const isAlive = isLast && player.state === "zombie";
  const recorded = life === null ? null : starvationOf(m, player, life);
  const diedAt = isLast ? (player.unrecorded ?? recorded?.at ?? null) : null;
  const base = isAlive ? player.deadline : diedAt;
  const canChange = base !== null;
  // While the game is paused, the time counts from the pause.
  const hunger = (base ?? 0) - Math.min(since, game.gameInstant(m));
  const left = Math.max(0, hunger);
  const cured = canChange && effect.cure === true && isCurable(m, player);
  const fed = canChange && !cured && effect.feed_seconds !== undefined && left < m.period;
  const lasts = Math.min(left + (effect.feed_seconds ?? 0) * SECOND, m.period);
  return { isAlive, since, cured, fed, lasts, hunger };
};

/** Changes a zombie, or one who has starved since, who then did not starve. */
const inLife = (m: Model, player: Player, life: Life, event: Event, change: () => void): void => {
  game.recordStarvation(m, player);
  const starved = starvationOf(m, player, life);
  if (starved !== null) {
    game.reopen(player, starved.at);
    const facts = { target: player.id, voids: starved.id, late_tag: event.id };
    const reward: Reward = { source: event.reward?.source ?? "code" };
    starved.voided_by = game.record(m, "revived_by_late_tag", { ...facts, reward }).id;
    player.state = "zombie";
  }
  change();
  game.pass(m, 0);
  game.recordStarvation(m, player);
};

const viewOf = (event: Event) => ({
  fed: event.reward?.fed === true,
  cured: event.kind === "cure",
  points: event.reward?.points ?? 0,
  badge: event.reward?.badge ?? null,
  message: event.reward?.message ?? null,
});

const responseOf = (m: Model, event: Event, player: Player, repeated: boolean) => ({
  ...{ redemption_id: event.id, ...pick(event, "at"), repeated, did: viewOf(event) },
  player: pick(ownView(m, player), "state tag_code starves_at points"),
});

/** Gives a player what a code or a mission gives. @returns the event, or `null` if it does nothing */
export const give = (
  m: Model,
  player: Player,
  gift: Gift,
  life: Life | null,
  at: number,
  code: () => string,
) => {
  const { points, badge, message } = gift.effect;
  const { since, cured, fed, lasts, hunger } = prospects(m, player, gift, life, at);
  const getsBadge = badge !== undefined && player.badges.length < MAX_BADGES;
  if (!cured && !fed && points === undefined && !getsBadge && message === undefined) return null;
  // No code is wasted on somebody whom it cannot cure.
  if (gift.source === "code" && gift.effect.cure === true && life !== null && !cured) return null;
  const { infection_id } = player;
  const event = game.record(m, cured ? "cure" : fed ? "feed" : "reward", {
    ...{ at, target: player.id, is_private: !cured && !fed },
    reward: {
      source: gift.source,
      ...(fed ? { fed } : {}),
      ...(points === undefined ? {} : { points }),
      ...(getsBadge ? { badge } : {}),
      ...(message === undefined ? {} : { message }),
    },
  });
  if (life !== null && (cured || fed))
    inLife(m, player, life, event, () => {
      if (fed) return game.feed(m, player, since, event.id, lasts);
      const { last_fed_at } = player;
      Object.assign(event.reward ?? {}, { before: { infection_id, last_fed_at, hunger } });
      game.makeHuman(m, player, code());
      player.antidote = event.id;
    });
  else game.recordStarvation(m, player);
  player.points += points ?? 0;
  if (getsBadge) player.badges.push({ ...badge, by: event.id });
  return event;
};

/** The code as stored: one that was made, or one that nobody has, with the right check character. */
export const UNKNOWN_CODE = "2222222222";

const find = (m: Model, code: string) => {
  for (const batch of m.batches) {
    const number = batch.codes.findIndex((one) => one.code === code) + 1;
    const stored = batch.codes[number - 1];
    if (stored !== undefined) return { batch, number, stored };
  }
  return null;
};

/** What a code gave and nobody took back. @throws ModelError `not_found`, `wrong_state` */
const eventOfReward = (m: Model, id: string): Event => {
  const event = game.eventOf(m, id);
  const isReward = event != null && ["cure", "feed", "reward"].includes(event.kind);
  requireThat(isReward && event.reward !== null, "not_found");
  requireThat(event.voided_by === null, "wrong_state");
  requireThat(event.reward.source === "code", "not_found");
  return event;
};

/** Makes the human of an antidote the zombie of before, with the time that was left, unless that tag was voided. */
const uncure = (m: Model, player: Player, { reward, recorded_at }: Event): boolean => {
  const before = reward?.before;
  if (before === undefined || player.state !== "human" || player.code_since !== recorded_at) return false;
  const { infection_id, last_fed_at, hunger } = before;
  const infection = game.eventOf(m, infection_id);
  if (infection === undefined || infection.voided_by !== null) return false;
  const infected_by = infection.kind === "hunt" ? infection.actor : null;
  const infected_at = infected_by === null ? player.infected_at : infection.at;
  const deadline = game.gameInstant(m) + hunger;
  const feedings = [{ hunt: null, at: last_fed_at, ends: deadline, endedBefore: [] }];
  Object.assign(player, {
    state: "zombie",
    tag_code: null,
    infection_id,
    infected_at,
    infected_by,
    last_fed_at,
  });
  Object.assign(player, { deadline, feedings });
  game.pass(m, 0);
  return true;
};

export const takeBack = (
  m: Model,
  event: Event,
  player: Player,
  actor: string,
  reason: string | undefined,
) => {
  game.recordStarvation(m, player);
  const reward: Reward = event.reward ?? { source: "code" };
  const feeding = reward.fed === true ? game.unfeed(m, player, event) : null;
  const starvedAt = player.unrecorded;
  game.recordStarvation(m, player);
  const uncured = uncure(m, player, event);
  const diedAt = player.unrecorded;
  game.recordStarvation(m, player);
  player.points = Math.max(0, player.points - (reward.points ?? 0));
  player.badges = player.badges.filter(({ by }) => by !== event.id);
  if (player.antidote === event.id) player.antidote = null;
  const starves_at = player.state === "zombie" ? game.shownDeadline(m, player.deadline) : null;
  const starved = starvedAt ?? diedAt;
  const effects = [
    ...(uncured ? [effectOn(player, "zombie_again", { starves_at })] : []),
    ...(feeding === null ? [] : [effectOn(player, feeding, { starves_at })]),
    ...(starved === null ? [] : [effectOn(player, "starved", { at: new Date(starved).toISOString() })]),
    ...(reward.points === undefined
      ? []
      : [effectOn(player, "points_taken_back", { points: player.points })]),
    ...(reward.badge === undefined ? [] : [effectOn(player, "badge_taken_back")]),
  ];
  const is_private = event.kind === "reward";
  const facts = { actor, target: player.id, voids: event.id, reason: reason ?? null, is_private };
  const taken = game.record(m, "void", { ...facts, reward: { source: reward.source } });
  event.voided_by = taken.id;
  for (const { codes, redemptions } of m.batches) {
    const redemption = redemptions.find((one) => one.event === event.id);
    const code = codes[(redemption?.number ?? 0) - 1];
    if (redemption === undefined || code === undefined) continue;
    redemption.isUndone = true;
    code.used -= 1;
  }
  return { taken, effects: effects.length > 0 ? effects : [effectOn(player, "unchanged")] };
};

export const CODES = {
  "POST /admin/create_codes/{url_id}": (m, body, { id: maker }, { text, field }) => {
    const { effect, audience, uses, uses_per_player: perPlayer, valid_from, valid_until } = body;
    const codes: { code: string }[] = JSON.parse(text).codes;
    m.batches.push({
      ...{ id: field("batch_id"), effect, audience, uses, perPlayer, maker, redemptions: [] },
      from: valid_from === undefined ? null : Date.parse(valid_from),
      until: valid_until === undefined ? null : Date.parse(valid_until),
      codes: codes.map(({ code }) => ({ code, used: 0, isRevoked: false })),
    });
    return ok({ batch_id: field("batch_id"), codes });
  },

  "POST /player/redeem/{url_id}": (m, { code: written, redeemed_at }, player, { codeOf }) => {
    const at = reportedTime(m, redeemed_at);
    requireInPlay(m, at);
    const life = lifeBetween(m, player, { from: at, until: at });
    requireThat(life !== null || wasHuman(m, player, at), "wrong_state");
    requireNoLockout(m, player);
    const code = bareCode(written);
    const found = find(m, code);
    const fail = (): never => {
      if (found !== null || code === UNKNOWN_CODE) player.misses.push(m.now);
      throw new ModelError("code_not_valid");
    };
    if (found === null) return fail();
    const { batch, number, stored } = found;
    const own = batch.redemptions.filter((one) => one.player === player.id && !one.isUndone);
    const earlier = own.find((one) => one.number === number);
    if (earlier !== undefined) {
      const event = game.eventOf(m, earlier.event);
      if (event === undefined) throw new Error("the redemption has no event");
      return ok(responseOf(m, event, player, true));
    }
    requireThat(batch.maker !== player.id, "wrong_state");
    const isInTime = (batch.from ?? at) <= at && at < (batch.until ?? Number.POSITIVE_INFINITY);
    const isLeft = !stored.isRevoked && stored.used < batch.uses && own.length < batch.perPlayer;
    const side = life === null ? "humans" : "zombies";
    if (!isInTime || !isLeft || ![side, "all"].includes(batch.audience)) return fail();
    const event = give(m, player, { effect: batch.effect, source: "code" }, life, at, () =>
      codeOf(player.id),
    );
    if (event === null) return fail();
    stored.used += 1;
    batch.redemptions.push({ player: player.id, number, event: event.id, isUndone: false });
    return ok(responseOf(m, event, player, false));
  },

  "POST /admin/revoke_codes/{url_id}": (m, { batch_id, code }) => {
    const batch = m.batches.find(({ id }) => id === batch_id);
    requireThat(batch !== undefined, "not_found");
    const wanted = batch.codes.filter((one) => code === undefined || one.code === bareCode(code));
    requireThat(wanted.length > 0, "not_found");
    for (const one of wanted) one.isRevoked = true;
    return { status: 200 };
  },

  "POST /admin/undo_redemption/{url_id}": (m, { redemption_id, dry_run = false, reason }, caller) => {
    // A dry run does the same on a copy.
    const on = dry_run ? structuredClone(m) : m;
    const event = eventOfReward(on, redemption_id);
    const player = game.playerOf(on, event.target);
    requireThat(player !== undefined, "wrong_state");
    const { taken, effects } = takeBack(on, event, player, caller.id, reason);
    return ok({ interaction: dry_run ? null : eventView(m, taken, caller), dry_run, effects });
  },
} satisfies Rules;
