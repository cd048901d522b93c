/** The awards at the end of a game. Players who tie share an award, and voided hunts do not count. */
import { DomainError } from "../domainError.ts";
import { playBetween } from "../game/clock.ts";
import { isInGrace } from "../game/finish.ts";
import { type Game, phaseOf } from "../game/game.ts";
import type { Player, State } from "../players/player.ts";
import { hidesOriginalsFrom } from "../players/visibility.ts";
import { instantOf, SECOND } from "../time.ts";
import { type Interaction, isInfection, killTime } from "./interaction.ts";

/** The fields of an interaction that awards depend on. */
export type AwardEvent = Pick<
  Interaction,
  | "interaction_id"
  | "kind"
  | "at"
  | "hunted_at"
  | "actor"
  | "target"
  | "parent"
  | "shared_with"
  | "voided_by"
  | "checkpoint_id"
  | "drawn"
>;

/** The fields of a player that awards depend on. Only players with an account can win. */
export interface Contender {
  player_id: string;
  state: State;
  kills: number;
  points: number;
  /** RFC 3339. */
  created_at: string;
}

/** An award: its value or its time, and the ids of all players who share it. */
export interface Award {
  value: number | null;
  /** RFC 3339. */
  at: string | null;
  winners: string[];
}

export interface Awards {
  /** `value`: kills. */
  most_kills: Award | null;
  /** The longest life as a human. `value`: seconds of play time. */
  longest_survivor: Award | null;
  /** The players at the top of the longest chains of tags. `value`: tags; `chain`: the player ids of one chain. */
  longest_chain: (Award & { chain: string[] }) | null;
  /** `value`: the number of times that this player's hunts fed other zombies. */
  most_meals_shared: Award | null;
  /** `value`: points of codes and missions. */
  most_points: Award | null;
  /** The hunter of the first tag; several if tags have the same time. */
  first_tag: Award | null;
  /** All players who are still human, with `at: null`; if there are none, those whose lives ended last, and when. */
  last_human: Award | null;
}

/** Requires that awards may be shown. @throws DomainError `too_early` for players, before the game has ended */
export const requireAwards = (game: Game, viewer: Player, now: number): void => {
  // While originals are hidden, the awards name them.
  const maySee = viewer.is_admin && !hidesOriginalsFrom(viewer, game, now);
  if (maySee || (phaseOf(game, now) === "ended" && !isInGrace(game, now))) return;
  throw new DomainError("too_early", "The awards are given when the game has ended.");
};

/** The award for the highest value, shared by all who have it; `null` if no value is above 0. */
const highest = (values: Iterable<readonly [id: string, value: number]>): Award | null => {
  let best = 0;
  let winners = new Set<string>();
  for (const [id, value] of values) {
    if (value > best) {
      best = value;
      winners = new Set();
    }
    if (value === best && best > 0) winners.add(id);
  }
  return best === 0 ? null : { value: best, at: null, winners: [...winners] };
};

/** A life as a human; `until` is `null` for one that has not ended. */
interface Life {
  player: string;
  from: string;
  until: string | null;
}

const BECOMES_HUMAN = ["cure", "revive_human"];
const ENDS_LIFE = ["hunt", "corpsify", "checkpoint_kill", "revive_zombie"];

/** The lives of a player as a human. @param events of that player, in order of time */
const livesOf = (
  { player_id: player, state, created_at }: Contender,
  events: readonly AwardEvent[],
): Life[] => {
  const [first] = events;
  // A spectator's first event is a revival. The same kind is recorded for humans who miss a checkpoint or are drawn.
  const beganHuman =
    first === undefined
      ? state === "human"
      : !BECOMES_HUMAN.includes(first.kind) &&
        (first.kind !== "revive_zombie" || first.checkpoint_id !== undefined || first.drawn === true);
  const lives: Life[] = [];
  let from = beganHuman ? created_at : null;
  for (const { kind, at } of events) {
    if (BECOMES_HUMAN.includes(kind)) from ??= at;
    else if (from !== null) {
      lives.push({ player, from, until: at });
      from = null;
    }
  }
  if (from !== null && state === "human") lives.push({ player, from, until: null });
  return lives;
};

/** The pauses of the game, of which the last may go on. The game itself keeps only recent ones. @param events in order of time */
const pausesOf = (events: readonly AwardEvent[]): { from: number; until: number }[] => {
  const pauses: { from: number; until: number }[] = [];
  for (const { kind, at } of events) {
    const last = pauses.at(-1);
    // The end of a season is stored as a pause, and may be within one.
    const isPaused = last !== undefined && last.until === Number.POSITIVE_INFINITY;
    if (kind === "pause" && !isPaused) pauses.push({ from: instantOf(at), until: Number.POSITIVE_INFINITY });
    else if (kind === "resume" && last !== undefined) last.until = instantOf(at);
  }
  return pauses;
};

/**
 * For each infection, the infection at the top of its chain (the root), and the number of tags from there. A cycle, which
 * stored data may have, begins anywhere.
 */
const chainsOf = (infections: ReadonlyMap<string, AwardEvent>) => {
  const chains = new Map<string, { tags: number; root: string }>();
  for (const id of infections.keys()) {
    const path = new Set<string>();
    let above: string | undefined = id;
    while (above !== undefined && !chains.has(above)) {
      const { parent, voided_by }: Partial<AwardEvent> = infections.get(above) ?? {};
      path.add(above);
      const isTop =
        voided_by !== undefined || typeof parent !== "string" || !infections.has(parent) || path.has(parent);
      if (isTop) {
        chains.set(above, { tags: 0, root: above });
        path.delete(above);
      } else above = parent;
    }
    let { tags, root } = chains.get(above ?? id) ?? { tags: 0, root: id };
    for (const below of [...path].toReversed()) {
      tags += 1;
      chains.set(below, { tags, root });
    }
  }
  return chains;
};

const longestChain = (events: readonly AwardEvent[]): Awards["longest_chain"] => {
  const infections = new Map(
    events.filter(({ kind }) => isInfection(kind)).map((event) => [event.interaction_id, event]),
  );
  const chains = chainsOf(infections);
  const targetOf = (id: string): string => infections.get(id)?.target ?? "";
  const best = highest([...chains].map(([, { tags, root }]) => [targetOf(root), tags]));
  if (best === null) return null;
  const [end = ""] = [...chains]
    .filter(([, { tags }]) => tags === best.value)
    .map(([id]) => id)
    .sort();
  const chain = [end];
  for (let left = best.value ?? 0; left > 0; left -= 1) {
    chain.unshift(infections.get(chain[0] ?? "")?.parent ?? "");
  }
  return { ...best, chain: chain.map(targetOf) };
};

const byTime = (one: AwardEvent, other: AwardEvent): number =>
  one.at === other.at ? (one.interaction_id < other.interaction_id ? -1 : 1) : one.at < other.at ? -1 : 1;

const lastHuman = (lives: readonly Life[]): Award | null => {
  const survivors = lives.filter(({ until }) => until === null).map(({ player }) => player);
  if (survivors.length > 0) return { value: null, at: null, winners: survivors };
  const ends = lives.map(({ until }) => until ?? "").sort();
  const at = ends.at(-1);
  if (at === undefined) return null;
  const winners = lives.filter(({ until }) => until === at).map(({ player }) => player);
  return { value: null, at, winners: [...new Set(winners)] };
};

/** The awards of a game as of now. @param now milliseconds since 1970 */
export const awardsOf = (
  contenders: readonly Contender[],
  unsortedEvents: readonly AwardEvent[],
  game: Game,
  now: number,
): Awards => {
  const events = unsortedEvents.toSorted(byTime);
  const ids = new Set(contenders.map(({ player_id }) => player_id));
  const hunts = events.filter(({ kind, voided_by }) => kind === "hunt" && voided_by === undefined);
  const startedAt = game.schedule?.starts_at ?? instantOf(events[0]?.at ?? "");
  const endedAt = Math.min(now, game.schedule?.ends_at ?? now);
  const stateChanges = Map.groupBy(
    events.filter(
      ({ kind, voided_by }) =>
        (ENDS_LIFE.includes(kind) || BECOMES_HUMAN.includes(kind)) && voided_by === undefined,
    ),
    ({ target }) => target,
  );
  const lives = contenders.flatMap((contender) =>
    livesOf(contender, stateChanges.get(contender.player_id) ?? []),
  );
  const pauses = pausesOf(events);
  const playedBetween = (start: number, end: number): number => {
    const paused = pauses.map(({ from, until }) =>
      Math.max(0, playBetween(game, Math.max(start, from), Math.min(end, until))),
    );
    return playBetween(game, start, end) - paused.reduce((sum, one) => sum + one, 0);
  };
  const secondsLived = ({ player, from, until }: Life): [string, number] => {
    const start = Math.max(instantOf(from), Number.isNaN(startedAt) ? 0 : startedAt);
    const end = Math.min(until === null ? endedAt : instantOf(until), endedAt);
    return [player, Math.max(0, Math.floor(playedBetween(start, end) / SECOND))];
  };
  const meals = new Map<string, number>();
  for (const { actor, shared_with = [] } of hunts) {
    if (actor !== null && ids.has(actor)) meals.set(actor, (meals.get(actor) ?? 0) + shared_with.length);
  }
  const eligible = hunts.filter(({ actor }) => actor !== null && ids.has(actor));
  const first = eligible.map(killTime).toSorted()[0] ?? null;
  const firstHunters = eligible.filter((one) => killTime(one) === first).flatMap(({ actor }) => actor ?? []);
  return {
    most_kills: highest(contenders.map(({ player_id, kills }) => [player_id, kills])),
    longest_survivor: highest(lives.map(secondsLived)),
    longest_chain: longestChain(events),
    most_meals_shared: highest(meals),
    most_points: highest(contenders.map(({ player_id, points }) => [player_id, points])),
    first_tag: first === null ? null : { value: null, at: first, winners: [...new Set(firstHunters)] },
    last_human: lastHuman(lives),
  };
};
