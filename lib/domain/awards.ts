/** The awards at the end of a game. Ties are named, and hunts that were voided do not count. */
import { type Game, phaseOf, playBetween } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import { type Interaction, isInfection } from "./interaction.ts";
import type { State } from "./player.ts";
import { instantOf, SECOND } from "./time.ts";

/** What awards need of an interaction. */
export type AwardEvent = Pick<
  Interaction,
  | "interaction_id"
  | "kind"
  | "at"
  | "actor"
  | "target"
  | "parent"
  | "shared_with"
  | "voided_by"
  | "checkpoint_id"
  | "drawn"
>;

/** What awards need of a player who has an account. */
export interface Contender {
  player_id: string;
  /** Now. */
  state: State;
  kills: number;
  /** RFC 3339. */
  created_at: string;
}

/** An award: its figure or its time, and the ids of all who share it. */
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
  /** The original zombies with the longest chain of tags below them. `value`: tags; `chain`: one such, from the top. */
  longest_chain: (Award & { chain: string[] }) | null;
  /** `value`: feedings of other zombies by own hunts. */
  most_meals_shared: Award | null;
  /** The hunters of the first tag. */
  first_tag: Award | null;
  /** Those who are still human; `at` is `null` then. Otherwise the last of whom that was true. */
  last_human: Award | null;
}

/** @throws DomainError `too_early` for players, before the game has ended */
export const requireAwards = (game: Game, isAdministrator: boolean, now: number): void => {
  if (isAdministrator || phaseOf(game, now) === "ended") return;
  throw new DomainError("too_early", "The awards are given when the game has ended.");
};

/** Everyone with the highest figure, if it is more than 0. */
const highest = (figures: Iterable<readonly [id: string, figure: number]>): Award | null => {
  let best = 0;
  let winners = new Set<string>();
  for (const [id, figure] of figures) {
    if (figure > best) {
      best = figure;
      winners = new Set();
    }
    if (figure === best && best > 0) winners.add(id);
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
  // Who begins as a spectator is first revived. Humans who miss a checkpoint are revived as zombies.
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

/** For each infection, the number of tags from the top of its chain, and the infection at the top. */
const chainsOf = (infections: ReadonlyMap<string, AwardEvent>) => {
  const known = new Map<string, { tags: number; root: string }>();
  for (const id of infections.keys()) {
    const path: string[] = [];
    let above: string | undefined = id;
    while (above !== undefined && !known.has(above)) {
      const { parent, voided_by }: Partial<AwardEvent> = infections.get(above) ?? {};
      const isTop = voided_by !== undefined || typeof parent !== "string" || !infections.has(parent);
      if (isTop) known.set(above, { tags: 0, root: above });
      else {
        path.push(above);
        above = parent;
      }
    }
    let { tags, root } = known.get(above ?? id) ?? { tags: 0, root: id };
    for (const below of path.toReversed()) {
      tags += 1;
      known.set(below, { tags, root });
    }
  }
  return known;
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

/** The awards of a game as it is. @param now milliseconds since 1970 */
export const awardsOf = (
  contenders: readonly Contender[],
  all: readonly AwardEvent[],
  game: Game,
  now: number,
): Awards => {
  const events = all.toSorted(byTime);
  const ids = new Set(contenders.map(({ player_id }) => player_id));
  const hunts = events.filter(({ kind, voided_by }) => kind === "hunt" && voided_by === undefined);
  const began = game.schedule?.starts_at ?? instantOf(events[0]?.at ?? "");
  const end = Math.min(now, game.schedule?.ends_at ?? now);
  const turns = Map.groupBy(
    events.filter(
      ({ kind, voided_by }) =>
        (ENDS_LIFE.includes(kind) || BECOMES_HUMAN.includes(kind)) && voided_by === undefined,
    ),
    ({ target }) => target,
  );
  const lives = contenders.flatMap((contender) => livesOf(contender, turns.get(contender.player_id) ?? []));
  const lived = ({ player, from, until }: Life): [string, number] => {
    const start = Math.max(instantOf(from), Number.isNaN(began) ? 0 : began);
    const stop = Math.min(until === null ? end : instantOf(until), end);
    return [player, Math.max(0, Math.floor(playBetween(game, start, stop) / SECOND))];
  };
  const meals = new Map<string, number>();
  for (const { actor, shared_with = [] } of hunts) {
    if (actor !== null && ids.has(actor)) meals.set(actor, (meals.get(actor) ?? 0) + shared_with.length);
  }
  const known = hunts.filter(({ actor }) => actor !== null && ids.has(actor));
  const first = known[0]?.at ?? null;
  const firstHunters = known.filter(({ at }) => at === first).flatMap(({ actor }) => actor ?? []);
  return {
    most_kills: highest(contenders.map(({ player_id, kills }) => [player_id, kills])),
    longest_survivor: highest(lives.map(lived)),
    longest_chain: longestChain(events),
    most_meals_shared: highest(meals),
    first_tag: first === null ? null : { value: null, at: first, winners: [...new Set(firstHunters)] },
    last_human: lastHuman(lives),
  };
};
