/**
 * The rules of the hunt written by hand, as somebody would who writes this one handler and no other: the same
 * verdicts and the same items as the service's own, without its schemas and layers.
 */

export const HOUR = 3_600_000;
const HUNT_REPORT_WINDOW = 6 * HOUR;
const MISS_WINDOW = HOUR / 6;
const MISSES_ALLOWED = 10;
const REMEMBERED = 8;

export interface Meal {
  hunt: string | null;
  deadline: number;
  epoch: number;
  at: string | null;
}

/** A player as it lies in the table; what is not named here is kept as it is. */
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
  meals: Meal[];
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

/** What the game forbids, and how it is answered. */
export class Forbidden extends Error {
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

/** What the player is now: a zombie past its deadline is a corpse. */
export const stateOf = (player: Player, game: Game, now: number): Player["state"] =>
  player.state === "zombie" &&
  player.deadline !== null &&
  player.epoch !== null &&
  starvedAt(game, player.deadline, player.epoch, now) !== null
    ? "corpse"
    : player.state;

/** The deadline on the wall clock. */
export const starvesAt = (player: Player, game: Game, now: number): string | null =>
  stateOf(player, game, now) === "zombie" && player.deadline !== null
    ? iso(now + player.deadline - gameTime(game, now))
    : null;

const later = (one: string | null, other: string): string => (one !== null && one > other ? one : other);

/** @throws Forbidden when this player may not hunt now at all */
export const mayHunt = (hunter: Player, game: Game, now: number): void => {
  if (game.paused_at !== null) throw new Forbidden(409, "paused", "The game is paused.");
  const state = stateOf(hunter, game, now);
  if (state !== "zombie") throw new Forbidden(409, "wrong_state", `${hunter.alias} is a ${state}.`);
  const recent = hunter.misses.filter((miss) => Date.parse(miss) > now - MISS_WINDOW);
  if (recent.length >= MISSES_ALLOWED) throw new Forbidden(429, "too_many_attempts", "Too many tag codes.");
};

/** The hunter after a code that nobody has. */
export const missed = (hunter: Player, now: number): Player => {
  const recent = hunter.misses.filter((miss) => Date.parse(miss) > now - MISS_WINDOW);
  return { ...hunter, misses: [...recent, iso(now)].slice(-MISSES_ALLOWED) };
};

export const UNKNOWN_CODE = (): Forbidden =>
  new Forbidden(404, "unknown_tag_code", "No player has this tag code.");

const mealsWith = (player: Player, meal: Meal, game: Game, now: number): Meal[] => {
  const { deadline, epoch, last_fed_at: at } = player;
  if (deadline === null || epoch === null) return [];
  const known = player.meals.some((one) => one.deadline === deadline);
  const meals = known ? [...player.meals, meal] : [{ hunt: null, deadline, epoch, at }, meal];
  if (meals.length <= REMEMBERED + 1) return meals;
  // The hunt that asked for the least goes into the meal that cannot be taken back, the first.
  const end = (one: Meal): number =>
    starvedAt(game, one.deadline, one.epoch, now) ?? now + one.deadline - gameTime(game, now);
  const [lasting, ...hunts] = meals;
  const least = hunts.reduce((one, other) => (end(other) > end(one) ? one : other));
  if (lasting === undefined) return hunts;
  const longer = end(least) > end(lasting) ? least : lasting;
  const fedAt = least.at === null ? lasting.at : later(lasting.at, least.at);
  return [{ ...longer, hunt: null, at: fedAt }, ...hunts.filter((one) => one !== least)];
};

const fed = (player: Player, game: Game, instant: number, period: number, hunt: string): Player => {
  const deadline = gameTime(game, instant) + period;
  const isLater = player.deadline === null || deadline > player.deadline;
  const meal = { hunt, deadline, epoch: game.epoch, at: iso(instant) };
  return {
    ...player,
    ...(isLater ? { deadline, epoch: game.epoch } : {}),
    last_fed_at: later(player.last_fed_at, iso(instant)),
    meals: mealsWith(player, meal, game, instant),
  };
};

export interface Report {
  code: string;
  huntedAt: number;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

export interface Scene {
  game: Game;
  hunter: Player;
  prey: Player | null;
  sharers: { alias: string; player: Player | null }[];
}

/** An interaction as it lies in the table. */
export interface Interaction {
  interaction_id: string;
  kind: string;
  at: string;
  recorded_at: string;
  actor: string;
  target: string;
  parent: string | null;
  shared_with: string[];
}

/** @throws Forbidden in the contract's order */
export const judgeHunt = (
  { game, hunter, prey, sharers }: Scene,
  { code, huntedAt }: Report,
  { id, now, period }: { id: string; now: number; period: number },
): { hunter: Player; prey: Player; sharers: Player[]; interaction: Interaction } => {
  mayHunt(hunter, game, now);
  if (prey === null) throw new Forbidden(409, "wrong_state", "The player has left the game.");
  if (prey.tag_code !== code) throw new Forbidden(409, "already_tagged", "This tag code has been used.");
  if (prey.state !== "human") throw new Forbidden(409, "wrong_state", `${prey.alias} is a ${prey.state}.`);
  if (huntedAt > now || huntedAt < now - HUNT_REPORT_WINDOW) {
    throw new Forbidden(400, "invalid_request", "hunted_at: is in the future or too long ago");
  }
  if (huntedAt < Date.parse(hunter.infected_at ?? "") || huntedAt < Date.parse(prey.code_since ?? "")) {
    throw new Forbidden(409, "too_early", "You were no zombie yet, or your prey had another code.");
  }
  const sharing = sharers.map(({ alias, player }) => {
    if (player === null) throw new Forbidden(404, "player_not_found", `No player is called ${alias}.`);
    const state = stateOf(player, game, now);
    if (state !== "zombie") throw new Forbidden(409, "wrong_state", `${alias} is a ${state}.`);
    return player;
  });
  const at = iso(huntedAt);
  const meal = Math.max(huntedAt, game.changed_at ?? huntedAt);
  const fedHunter = fed(hunter, game, meal, period, id);
  const kills = [{ hunt: id, at }, ...hunter.latest_kills].sort((one, other) =>
    one.at === other.at ? 0 : one.at > other.at ? -1 : 1,
  );
  return {
    hunter: {
      ...fedHunter,
      kills: hunter.kills + 1,
      last_kill_at: later(hunter.last_kill_at, at),
      latest_kills: kills.slice(0, REMEMBERED),
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
    sharers: sharing.map((player) => fed(player, game, meal, period, id)),
    interaction: {
      interaction_id: id,
      kind: "hunt",
      at,
      recorded_at: iso(now),
      actor: hunter.player_id,
      target: prey.player_id,
      parent: hunter.infection_id,
      shared_with: sharing.map(({ player_id }) => player_id),
    },
  };
};
