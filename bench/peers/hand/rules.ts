/**
 * The rules of a hunt, written by hand as for a single handler: the same decisions and items as the service's, without
 * its schemas and layers. Shared hunts, notes and places are left out: no bench sends them.
 */

export const HOUR = 3_600_000;
const HUNT_REPORT_WINDOW = 6 * HOUR;
const MISS_WINDOW = HOUR / 6;
const MAX_MISSES = 10;
const MAX_FEEDINGS = 8;

interface Feeding {
  hunt: string | null;
  deadline: number;
  epoch: number;
  at: string | null;
}

/** The stored attributes that a handler by hand needs; the others are kept. */
export interface Player {
  player_id: string;
  rev: number;
  seen: number;
  shard: number;
  alias: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  is_admin: boolean;
  state: "human" | "zombie" | "corpse" | "spectator";
  tag_code: string | null;
  code_since: string | null;
  kills: number;
  last_kill_at: string | null;
  infection_id: string | null;
  infected_at: string | null;
  infected_by: string | null;
  last_fed_at: string | null;
  deadline: number | null;
  epoch: number | null;
  checkpoint_id: string | null;
  passed_at: string | null;
  has_pfp: boolean;
  created_at: string;
  misses: string[];
  push_kinds: string[] | null;
  meals: Feeding[];
  latest_kills: { hunt: string; at: string }[];
}

export interface Game {
  rev: number;
  shards: number;
  offset: number;
  paused_at: number | null;
  epoch: number;
  cuts: { epoch: number; at: number; offset: number }[];
  changed_at: number | null;
  checkpoint: { checkpoint_id: string } | null;
}

export const NEW_GAME: Game = {
  rev: 0,
  shards: 1,
  offset: 0,
  paused_at: null,
  epoch: 0,
  cuts: [],
  changed_at: null,
  checkpoint: null,
};

/** A domain error, with its response. */
export class Rejected extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export const iso = (instant: number): string => new Date(instant).toISOString();

const gameTime = (game: Game, instant: number): number => (game.paused_at ?? instant) - game.offset;

const starvedAt = (game: Game, deadline: number, epoch: number, now: number): number | null => {
  const cut = game.cuts.find((one) => one.epoch > epoch && deadline <= one.at);
  if (cut !== undefined) return deadline + cut.offset;
  return deadline <= gameTime(game, now) ? deadline + game.offset : null;
};

/** A zombie whose deadline has passed is a corpse. */
export const stateOf = ({ state, deadline, epoch }: Player, game: Game, now: number): Player["state"] =>
  state === "zombie" && deadline !== null && epoch !== null && starvedAt(game, deadline, epoch, now) !== null
    ? "corpse"
    : state;

/** The deadline in wall-clock time. */
export const starvesAt = (player: Player, game: Game, now: number): string | null =>
  stateOf(player, game, now) === "zombie" && player.deadline !== null
    ? iso(now + player.deadline - gameTime(game, now))
    : null;

const later = (one: string | null, other: string): string => (one !== null && one > other ? one : other);

const recentMisses = ({ misses }: Player, now: number): string[] =>
  misses.filter((miss) => Date.parse(miss) > now - MISS_WINDOW);

/** @throws Rejected when the player may not hunt at all */
export const requireHunter = (hunter: Player, game: Game, now: number): void => {
  if (game.paused_at !== null) throw new Rejected(409, "paused", "The game is paused.");
  const state = stateOf(hunter, game, now);
  if (state !== "zombie") throw new Rejected(409, "wrong_state", `${hunter.alias} is a ${state}.`);
  if (recentMisses(hunter, now).length >= MAX_MISSES) {
    throw new Rejected(429, "too_many_attempts", "Too many tag codes.");
  }
};

/** The hunter after reporting an unknown tag code. */
export const withMiss = (hunter: Player, now: number): Player => ({
  ...hunter,
  misses: [...recentMisses(hunter, now), iso(now)].slice(-MAX_MISSES),
});

const feedingsWith = (player: Player, feeding: Feeding, game: Game, now: number): Feeding[] => {
  const { deadline, epoch, last_fed_at: at } = player;
  if (deadline === null || epoch === null) return [];
  const isKnown = player.meals.some((one) => one.deadline === deadline);
  const all = isKnown ? [...player.meals, feeding] : [{ hunt: null, deadline, epoch, at }, feeding];
  if (all.length <= MAX_FEEDINGS + 1) return all;
  // The first feeding cannot be voided: the shortest of the others is merged into it.
  const end = (one: Feeding): number =>
    starvedAt(game, one.deadline, one.epoch, now) ?? now + one.deadline - gameTime(game, now);
  const [first, ...hunts] = all;
  const least = hunts.reduce((one, other) => (end(other) > end(one) ? one : other));
  if (first === undefined) return hunts;
  const longer = end(least) > end(first) ? least : first;
  const fedAt = least.at === null ? first.at : later(first.at, least.at);
  return [{ ...longer, hunt: null, at: fedAt }, ...hunts.filter((one) => one !== least)];
};

const fed = (player: Player, game: Game, instant: number, period: number, hunt: string): Player => {
  const { epoch } = game;
  const deadline = gameTime(game, instant) + period;
  const isLater = player.deadline === null || deadline > player.deadline;
  return {
    ...player,
    ...(isLater ? { deadline, epoch } : {}),
    last_fed_at: later(player.last_fed_at, iso(instant)),
    meals: feedingsWith(player, { hunt, deadline, epoch, at: iso(instant) }, game, instant),
  };
};

/** A stored interaction. */
export interface Interaction {
  interaction_id: string;
  kind: "hunt";
  at: string;
  recorded_at: string;
  actor: string;
  target: string;
  parent: string | null;
  shared_with: string[];
}

export interface Report {
  code: string;
  huntedAt: number;
}

/** @throws Rejected, checking in the order of the API */
export const decideHunt = (
  { game, hunter, prey }: { game: Game; hunter: Player; prey: Player | null },
  { code, huntedAt }: Report,
  { id, now, period }: { id: string; now: number; period: number },
): { hunter: Player; prey: Player; interaction: Interaction } => {
  requireHunter(hunter, game, now);
  if (prey === null) throw new Rejected(409, "wrong_state", "The player has left the game.");
  if (prey.tag_code !== code) throw new Rejected(409, "already_tagged", "This tag code has been used.");
  if (prey.state !== "human") throw new Rejected(409, "wrong_state", `${prey.alias} is a ${prey.state}.`);
  if (huntedAt > now || huntedAt < now - HUNT_REPORT_WINDOW) {
    throw new Rejected(400, "invalid_request", "hunted_at: is in the future or too long ago");
  }
  if (huntedAt < Date.parse(hunter.infected_at ?? "") || huntedAt < Date.parse(prey.code_since ?? "")) {
    throw new Rejected(409, "too_early", "You were no zombie yet, or your prey had another code.");
  }
  const at = iso(huntedAt);
  const kills = [{ hunt: id, at }, ...hunter.latest_kills].sort((one, other) =>
    one.at === other.at ? 0 : one.at > other.at ? -1 : 1,
  );
  return {
    hunter: {
      ...fed(hunter, game, Math.max(huntedAt, game.changed_at ?? huntedAt), period, id),
      kills: hunter.kills + 1,
      last_kill_at: later(hunter.last_kill_at, at),
      latest_kills: kills.slice(0, MAX_FEEDINGS),
    },
    prey: {
      ...prey,
      deadline: gameTime(game, now) + period,
      epoch: game.epoch,
      state: "zombie",
      tag_code: null,
      code_since: null,
      infection_id: id,
      infected_at: at,
      infected_by: hunter.player_id,
      last_fed_at: null,
      meals: [],
    },
    interaction: {
      interaction_id: id,
      kind: "hunt",
      at,
      recorded_at: iso(now),
      actor: hunter.player_id,
      target: prey.player_id,
      parent: hunter.infection_id,
      shared_with: [],
    },
  };
};
