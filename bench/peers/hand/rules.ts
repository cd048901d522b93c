/**
 * The rules of a hunt, written for a single handler: the same decisions and items as in the service, without its
 * schemas and layers. Shared, late and annotated hunts and unknown codes are left out, because no bench sends them.
 */
import type { Game as StoredGame } from "../../../lib/domain/game/game.ts";
import type { Interaction } from "../../../lib/domain/hunts/interaction.ts";
import type { Feeding, Player as StoredPlayer } from "../../../lib/domain/players/player.ts";

export const HOUR = 3_600_000;
const MISS_WINDOW = HOUR / 6;
const MAX_MISSES = 10;
const MAX_FEEDINGS = 8;

/** A player as stored. For a human, `at` is the start of the present life as a human. */
export type Player = StoredPlayer & { at?: string | undefined };

/** The fields of the game that these requests need. */
export type Game = Pick<
  StoredGame,
  "rev" | "shards" | "offset" | "paused_at" | "epoch" | "cuts" | "changed_at" | "checkpoint"
>;

export const NEW_GAME: Game = {
  rev: 0,
  shards: 1,
  offset: 0,
  epoch: 0,
  cuts: [],
  paused_at: null,
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

/** @throws Rejected if the player may not hunt */
export const requireHunter = (hunter: Player, game: Game, now: number): void => {
  if (game.paused_at !== null) throw new Rejected(409, "paused", "The game is paused.");
  const state = stateOf(hunter, game, now);
  if (state !== "zombie") throw new Rejected(409, "wrong_state", `${hunter.alias} is a ${state}.`);
  if (recentMisses(hunter, now).length >= MAX_MISSES) {
    throw new Rejected(429, "too_many_attempts", "Too many tag codes.");
  }
};

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

/** Decides a hunt. @throws Rejected; conditions are checked in the order that docs/api.md defines */
export const decideHunt = (
  { game, hunter, prey }: { game: Game; hunter: Player; prey: Player | null },
  { code, id, now, period }: { code: string; id: string; now: number; period: number },
): { hunter: Player; prey: Player; interaction: Interaction } => {
  requireHunter(hunter, game, now);
  if (prey === null) throw new Rejected(409, "wrong_state", "The player has left the game.");
  if (prey.tag_code !== code) throw new Rejected(409, "already_tagged", "This tag code has been used.");
  if (prey.state !== "human") throw new Rejected(409, "wrong_state", `${prey.alias} is a ${prey.state}.`);
  if (now < Date.parse(hunter.infected_at ?? "") || now < Date.parse(prey.code_since ?? "")) {
    throw new Rejected(409, "too_early", "You were no zombie yet, or your prey had another code.");
  }
  const at = iso(now);
  const kills = [{ hunt: id, at }, ...hunter.latest_kills].sort((one, other) =>
    one.at === other.at ? 0 : one.at > other.at ? -1 : 1,
  );
  return {
    hunter: {
      ...fed(hunter, game, Math.max(now, game.changed_at ?? now), period, id),
      kills: hunter.kills + 1,
      last_kill_at: later(hunter.last_kill_at, at),
      latest_kills: kills.slice(0, MAX_FEEDINGS),
    },
    prey: {
      ...prey,
      at: undefined,
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
      recorded_at: at,
      actor: hunter.player_id,
      target: prey.player_id,
      parent: hunter.infection_id,
      human_since: prey.at ?? prey.code_since ?? undefined,
      shared_with: [],
    },
  };
};
