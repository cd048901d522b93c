/**
 * Statistics of the game: how many players were in each state over time, how many hunts there were, and how many
 * infections in each generation. They follow from the interactions and from who has an account. A voided hunt did not
 * happen, and what happened late counts from when it happened.
 */
import * as z from "zod/mini";
import type { Game } from "./clock.ts";
import { type Interaction, isInfection, Kind } from "./interaction.ts";
import { type COUNTERS, forEachCounter, STATES, type State } from "./player.ts";
import { nullableText, optionalText, text } from "./schemas.ts";
import { instantOf } from "./time.ts";
import { coveredPlayer, hiddenSince, type Viewer } from "./visibility.ts";

/** What the statistics need of an interaction. A change of this needs another key of the stored ones. */
export const Moment = z.object({
  id: text,
  kind: Kind,
  at: text,
  target: text,
  /** Of an infection. */
  parent: z.optional(nullableText),
  /** Of a void: the hunt. */
  voids: optionalText,
  /** Of a hunt: whether its hunter is not known. */
  waiting: z.optional(z.literal(true)),
  /** Of a player who was taken out of play. */
  withdrawn: z.optional(z.literal(true)),
  /** Of a human who was drawn as an original zombie, or has missed a checkpoint. */
  drawn: z.optional(z.literal(true)),
  /** For what others may not know of a hidden original zombie: see `Interaction`. `of` is that player. */
  cover: z.optional(z.object({ since: text, kind: z.nullable(Kind), of: nullableText })),
});
export type Moment = z.infer<typeof Moment>;

/** The state to which each kind of interaction leads. */
const LEADS_TO: Partial<Record<Kind, State>> = {
  hunt: "zombie",
  revive_zombie: "zombie",
  cure: "human",
  revive_human: "human",
  void: "human",
  corpsify: "corpse",
  starve: "corpse",
  checkpoint_kill: "corpse",
};

/** @returns `null` for an interaction that changes nobody's state */
export const momentOf = (interaction: Interaction): Moment | null => {
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
  if (target === null || LEADS_TO[kind] === undefined) return null;
  return {
    ...{ id, kind, at, target },
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

/** The moments that a viewer may know of, as they may know them. */
export const shownMoments = (
  moments: readonly Moment[],
  viewer: Viewer,
  game: Game,
  now: number,
): Moment[] => {
  const since = hiddenSince(game, now);
  if (since === null || viewer?.is_admin === true) return [...moments];
  return moments.flatMap((moment) => {
    const { cover, kind } = moment;
    if (cover === undefined || cover.since < since || cover.of === viewer?.player_id) return [moment];
    if (cover.kind === null) return [];
    // Nobody knows from whom the infection came.
    if (kind === "hunt") return [{ ...moment, parent: null, waiting: true }];
    const { parent: _, ...rest } = moment;
    return [{ ...rest, kind: cover.kind }];
  });
};

/** A player who has an account. */
export interface Resident {
  player_id: string;
  created_at: string;
  state: State;
  /** When a zombie starved whose starvation is not recorded yet, as an instant. */
  starved: number | null;
}

interface Change {
  at: number;
  state: State;
}

/** The states of a player over time. A life that a voided hunt began counts as human. */
const statesOf = (
  { created_at, state, starved }: Resident,
  own: readonly Moment[],
  voided: ReadonlySet<string>,
): Change[] => {
  const [first] = own;
  // Only a spectator is revived who has not died.
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
    // The player has begun another life since. A death that was voided did not happen, nor did its void.
    if ((kind === "void" && life !== voids) || (kind === "checkpoint_kill" && voided.has(id))) continue;
    const to = withdrawn === true ? "spectator" : (LEADS_TO[kind] ?? "human");
    if (to !== "corpse") life = to === "zombie" ? id : null;
    add(instantOf(at), to);
  }
  if (starved !== null) add(starved, "corpse");
  return changes;
};

/** How many players are in each state at these instants, which are in order. */
export const countsAt = (
  instants: readonly number[],
  residents: readonly Resident[],
  moments: readonly Moment[],
): Record<(typeof COUNTERS)[number], number>[] => {
  const voided = voidedIn(moments);
  const byTarget = Map.groupBy(
    moments.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    ({ target }) => target,
  );
  const deltas = residents.flatMap((resident) =>
    statesOf(resident, byTarget.get(resident.player_id) ?? [], voided).map(({ at, state }, n, all) => ({
      at,
      from: all[n - 1]?.state,
      to: state,
    })),
  );
  deltas.sort((one, other) => one.at - other.at);
  const counts = forEachCounter(0);
  let next = 0;
  return instants.map((instant) => {
    for (let delta = deltas[next]; delta !== undefined && delta.at <= instant; delta = deltas[next]) {
      if (delta.from !== undefined) counts[STATES[delta.from].counter] -= 1;
      counts[STATES[delta.to].counter] += 1;
      next += 1;
    }
    return { ...counts };
  });
};

/** The hunts that were voided. */
export const voidedIn = (moments: readonly Moment[]): Set<string> =>
  new Set(moments.flatMap(({ voids }) => voids ?? []));

/** When the hunts were that count, in order. */
export const huntTimes = (moments: readonly Moment[]): number[] => {
  const voided = voidedIn(moments);
  return moments
    .filter(({ kind, id }) => kind === "hunt" && !voided.has(id))
    .map(({ at }) => instantOf(at))
    .toSorted((one, other) => one - other);
};

/**
 * How many infections count in each generation: 0 is for those whom no player infected, `null` for tags whose hunter is
 * not known.
 */
export const infectionsByGeneration = (moments: readonly Moment[]): Map<number | null, number> => {
  const voided = voidedIn(moments);
  const infections = new Map(
    moments.filter(({ kind }) => isInfection(kind)).map((one) => [one.id, one] as const),
  );
  const known = new Map<string, number>();
  const generationOf = (id: string): number => {
    const path: string[] = [];
    let [at, base]: [string | null, number] = [id, -1];
    for (; at !== null && base < 0; at = infections.get(at)?.parent ?? null) {
      base = known.get(at) ?? -1;
      if (base < 0) path.push(at);
    }
    for (const one of path.toReversed()) {
      base += 1;
      known.set(one, base);
    }
    return known.get(id) ?? 0;
  };
  const counts = new Map<number | null, number>();
  for (const { id, waiting } of infections.values()) {
    if (voided.has(id)) continue;
    const generation = waiting === true ? null : generationOf(id);
    counts.set(generation, (counts.get(generation) ?? 0) + 1);
  }
  return counts;
};
