/** On which side a player was when a mission began. */
import type { Game } from "../game/game.ts";
import { HELD, type Player, type State, starvation } from "../players/player.ts";
import { stateAfter } from "../players/states.ts";
import { type StatisticsEvent, stateAt, visibleStatisticsEvents } from "../players/statistics.ts";
import { publicPlay } from "../players/visibility.ts";
import { instantOf } from "../time.ts";

/** The side of a player, and what others took them for; the two differ of a hidden original zombie alone. */
export interface Sides {
  side: State;
  shown: State;
}

/** The instant that counts for a player: the start of the mission, or when they joined if that is later. */
const countedAt = ({ created_at }: Player, startsAt: number): number =>
  Math.max(startsAt, instantOf(created_at));

/** The state at an instant of a player whose present life had begun by then; `null` if it had not. */
const stateInLife = (player: Player, at: number, game: Game, now: number): State | null => {
  if (player.state === "human") return instantOf(player.code_since) <= at ? "human" : null;
  if (player.state !== "zombie" || instantOf(player.infected_at) > at) return null;
  const diedAt = starvation(player, game, now);
  return diedAt !== null && diedAt <= at ? "corpse" : "zombie";
};

/**
 * The sides of a player at the start of a mission, if their present life had begun by then.
 * @returns `null` if the events have to tell: see {@link sidesAt}
 */
export const sidesInLife = (player: Player, startsAt: number, game: Game, now: number): Sides | null => {
  const at = countedAt(player, startsAt);
  const [side, shown] = [player, publicPlay(player, game, now)].map((one) => stateInLife(one, at, game, now));
  return side == null || shown == null ? null : { side, shown };
};

/**
 * What a player without events was at an instant. What has changed them since is newer than the events that were read, or was
 * never recorded.
 */
const stateWithoutEvents = (
  { state, held, tag_code, infection_id, infected_at }: Player,
  at: number,
): State => {
  if (infection_id !== null && infected_at !== null) return instantOf(infected_at) <= at ? "zombie" : "human";
  // Whoever has been taken out of play has a tag code. A game master who was shown secrets need not have played.
  const hasPlayed = held === HELD.withdrawn && tag_code !== null;
  return state === "spectator" && !hasPlayed ? "spectator" : "human";
};

/** Whether events lead to what a player is now. Otherwise a newer one is missing, or was never recorded. */
export const isExplained = (player: Player, events: readonly StatisticsEvent[]): boolean => {
  const { state, code_since, infection_id } = player;
  if (state === "human") return events.some(({ at }) => at === code_since);
  if (state === "zombie") return events.some(({ id }) => id === infection_id);
  const last = events.reduce<StatisticsEvent | null>(
    (one, other) => (one !== null && one.id > other.id ? one : other),
    null,
  );
  return last !== null && (last.withdrawn === true ? "spectator" : stateAfter(last.kind)) === state;
};

/**
 * The sides of a player at the start of a mission.
 * @param events those that change the state of this player, read after the start
 */
export const sidesAt = (
  player: Player,
  events: readonly StatisticsEvent[],
  startsAt: number,
  game: Game,
  now: number,
): Sides => {
  const at = countedAt(player, startsAt);
  const sideOf = (one: Player, own: readonly StatisticsEvent[]): State => {
    const inLife = stateInLife(one, at, game, now);
    if (inLife !== null) return inLife;
    if (own.length === 0) return stateWithoutEvents(one, at);
    const { player_id, created_at, state } = one;
    return stateAt({ player_id, created_at, state, starved: starvation(one, game, now) }, own, at);
  };
  return {
    side: sideOf(player, events),
    shown: sideOf(publicPlay(player, game, now), visibleStatisticsEvents(events, null, game, now)),
  };
};
