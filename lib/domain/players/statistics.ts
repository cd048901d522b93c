/**
 * Statistics of the game: the numbers of players in each state over time, of hunts, and of infections in each
 * generation. They are computed from the interactions and the existing accounts. A voided hunt does not count, and an
 * interaction that was recorded late counts from the time at which it happened.
 */
import * as z from "zod/mini";
import type { Game } from "../game/game.ts";
import { type Interaction, isInfection, Kind, storedKind } from "../hunts/interaction.ts";
import { nullableText, optionalText, text } from "../schemas.ts";
import { instantOf } from "../time.ts";
import { byCounter, type Counter, counterOf, STATE_NAMES, type State, stateAfter } from "./states.ts";
import { coveredPlayer, hiddenSince, maySeeSecrets, type Viewer } from "./visibility.ts";

/** The fields of an interaction that statistics depend on. They are stored: a change needs another key. */
export const StatisticsEvent = z.object({
  id: text,
  kind: Kind,
  at: text,
  target: text,
  /** Of an infection: the hunter's infection. */
  parent: z.optional(nullableText),
  /** Of a void: the id of the voided interaction. */
  voids: optionalText,
  /** Of a hunt: set while its hunter is not known. */
  waiting: z.optional(z.literal(true)),
  /** Of a player who was taken out of play. */
  withdrawn: z.optional(z.literal(true)),
  /** Of a human who was drawn as an original zombie, or became a zombie by missing a checkpoint. */
  drawn: z.optional(z.literal(true)),
  /** If it reveals a hidden original zombie: see `Interaction`. `of` is the id of that player. */
  cover: z.optional(z.object({ since: text, kind: z.nullable(Kind), of: nullableText })),
});
export type StatisticsEvent = z.infer<typeof StatisticsEvent>;

/** The fields for statistics. @returns `null` for an interaction that changes nobody's state */
export const statisticsEventOf = (interaction: Interaction): StatisticsEvent | null => {
  const {
    interaction_id: id,
    kind,
    at,
    target,
    parent,
    voids,
    waiting_since,
    withdrawn,
    drawn,
    cover,
    checkpoint_id,
  } = interaction;
  const known = storedKind(kind);
  if (target === null || (stateAfter(known) === undefined && known !== "void")) return null;
  return {
    id,
    kind: known,
    at,
    target,
    ...(isInfection(kind) ? { parent: parent ?? null } : {}),
    ...(voids === undefined ? {} : { voids }),
    ...(waiting_since === undefined ? {} : { waiting: true }),
    ...(withdrawn === true ? { withdrawn } : {}),
    // A human who misses a checkpoint becomes a zombie like one who is drawn.
    ...(drawn === true || (kind === "revive_zombie" && checkpoint_id !== undefined) ? { drawn: true } : {}),
    ...(cover === undefined
      ? {}
      : { cover: { since: cover.since, kind: cover.kind, of: coveredPlayer(interaction) } }),
  };
};

/** The events as a viewer may see them, without anything that reveals hidden original zombies. */
export const visibleStatisticsEvents = (
  events: readonly StatisticsEvent[],
  viewer: Viewer,
  game: Game,
  now: number,
): StatisticsEvent[] => {
  const since = hiddenSince(game, now);
  if (since === null || maySeeSecrets(viewer)) return [...events];
  return events.flatMap((event) => {
    const { cover, kind } = event;
    if (cover === undefined || cover.since < since || cover.of === viewer?.player_id) return [event];
    if (cover.kind === null) return [];
    // The viewer must not learn whose infection it was.
    if (kind === "hunt") return [{ ...event, parent: null, waiting: true }];
    const { parent: _, ...rest } = event;
    return [{ ...rest, kind: cover.kind }];
  });
};

/** The fields of a player that statistics depend on. Deleted accounts are not counted. */
export interface StatisticsPlayer {
  player_id: string;
  created_at: string;
  state: State;
  /** For a zombie whose starvation is not recorded yet: the instant at which it starved. */
  starved: number | null;
}

interface Change {
  at: number;
  state: State;
}

/** The states of a player over time. A life as a zombie that began with a voided hunt counts as human. */
const statesOf = (
  { created_at, state, starved }: StatisticsPlayer,
  own: readonly StatisticsEvent[],
  voided: ReadonlySet<string>,
): Change[] => {
  // What was taken back of a spectator's reward is a void too.
  const first = own.find(({ kind }) => kind !== "void");
  // If the first event is a revival, the player had not died before, so they were a spectator.
  const isRevived =
    first?.kind === "revive_human" || (first?.kind === "revive_zombie" && first.drawn !== true);
  const initial = first === undefined ? state : isRevived ? "spectator" : "human";
  const changes: Change[] = [{ at: instantOf(created_at), state: initial }];
  let life: string | null = null;
  const add = (at: number, to: State): void => {
    const shown = life !== null && voided.has(life) ? "human" : to;
    const last = changes.at(-1);
    if (last?.state !== shown) changes.push({ at: Math.max(at, last?.at ?? at), state: shown });
  };
  for (const { id, kind, at, voids, withdrawn } of own) {
    // Skip a void of an earlier life, and a death or a cure that was undone, together with its void.
    const isUndone = kind !== "hunt" && voided.has(id);
    if ((kind === "void" && life !== voids) || (isUndone && stateAfter(kind) !== "zombie")) continue;
    const to = withdrawn === true ? "spectator" : (stateAfter(kind) ?? "human");
    if (to !== "corpse") life = to === "zombie" ? id : null;
    add(instantOf(at), to);
  }
  if (starved !== null) add(starved, "corpse");
  return changes;
};

/**
 * The state of a player at an instant.
 * @param events those that change the state of this player, in any order
 * @param instant not before the player joined
 */
export const stateAt = (
  player: StatisticsPlayer,
  events: readonly StatisticsEvent[],
  instant: number,
): State => {
  const own = events.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const changes = statesOf(player, own, voidedIn(events));
  return changes.findLast(({ at }) => at <= instant)?.state ?? changes[0]?.state ?? player.state;
};

/** The numbers of players in each state at several instants, which must be in ascending order. */
export const countsAt = (
  instants: readonly number[],
  players: readonly StatisticsPlayer[],
  events: readonly StatisticsEvent[],
): Record<Counter, number>[] => {
  const voided = voidedIn(events);
  const byTarget = Map.groupBy(
    events.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    ({ target }) => target,
  );
  const deltas = players.flatMap((player) =>
    statesOf(player, byTarget.get(player.player_id) ?? [], voided).map(({ at, state }, n, all) => ({
      at,
      from: all[n - 1]?.state,
      to: state,
    })),
  );
  deltas.sort((one, other) => one.at - other.at);
  const counts = byCounter(STATE_NAMES, () => 0);
  let next = 0;
  return instants.map((instant) => {
    for (let delta = deltas[next]; delta !== undefined && delta.at <= instant; delta = deltas[next]) {
      if (delta.from !== undefined) counts[counterOf(delta.from)] -= 1;
      counts[counterOf(delta.to)] += 1;
      next += 1;
    }
    return { ...counts };
  });
};

/** The ids of the interactions that were voided. */
export const voidedIn = (events: readonly StatisticsEvent[]): Set<string> =>
  new Set(events.flatMap(({ voids }) => voids ?? []));

/** The instants of the hunts that were not voided, in order. */
export const huntTimes = (events: readonly StatisticsEvent[]): number[] => {
  const voided = voidedIn(events);
  return events
    .filter(({ kind, id }) => kind === "hunt" && !voided.has(id))
    .map(({ at }) => instantOf(at))
    .toSorted((one, other) => one - other);
};

/**
 * The number of infections in each generation, without voided hunts: 0 for players whom nobody infected, `null` for
 * tags whose hunter is not known.
 */
export const infectionsByGeneration = (events: readonly StatisticsEvent[]): Map<number | null, number> => {
  const voided = voidedIn(events);
  const infections = new Map(
    events.filter(({ kind }) => isInfection(kind)).map((one) => [one.id, one] as const),
  );
  const generations = new Map<string, number>();
  const generationOf = (id: string): number => {
    const path = new Set<string>();
    let [ancestor, base]: [string | null, number] = [id, -1];
    // A cycle, which stored data may have, begins anywhere.
    for (
      ;
      ancestor !== null && base < 0 && !path.has(ancestor);
      ancestor = infections.get(ancestor)?.parent ?? null
    ) {
      base = generations.get(ancestor) ?? -1;
      if (base < 0) path.add(ancestor);
    }
    for (const one of [...path].toReversed()) {
      base += 1;
      generations.set(one, base);
    }
    return generations.get(id) ?? 0;
  };
  const counts = new Map<number | null, number>();
  for (const { id, waiting } of infections.values()) {
    if (voided.has(id)) continue;
    const generation = waiting === true ? null : generationOf(id);
    counts.set(generation, (counts.get(generation) ?? 0) + 1);
  }
  return counts;
};
