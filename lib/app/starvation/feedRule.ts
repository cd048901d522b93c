/** How the hungriest zombies are selected and fed, and what is told of it. */
import { starvedAt, wallDeadline } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import { feedCandidate } from "../../domain/hunts/candidates.ts";
import type { CommandContext, Outcome } from "../../domain/outcome.ts";
import { livingZombie, type Zombie } from "../../domain/players/player.ts";
import { feedPlayer } from "../../domain/players/transitions.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { BulkDecision, BulkRule } from "../../jobs/bulk.ts";
import type { FedPlayer } from "../../jobs/tasks.ts";
import { type HungerEntry, parseHungerEntry } from "../../store/items.ts";
import { hungerOrder } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

/** Feeds a living zombie; the result is a {@link FedPlayer}. @param actor the game master's player id */
export const feedRule = (actor: string, context: CommandContext): BulkRule => {
  const { now } = context;
  const decision = (outcome: Outcome, player_id: string, deadline: number, game: Game): BulkDecision => {
    const result: FedPlayer = { player_id, starves_at: nullableRfc3339(wallDeadline(game, deadline, now)) };
    return { outcome, result };
  };
  return {
    decide: (target, game) => {
      if (livingZombie(target, game, now) === null) return null;
      const outcome = feedPlayer({ game, target, actor }, context);
      return decision(outcome, target.player_id, outcome.player.deadline, game);
    },
    decideCandidate: (zombie, game) => {
      const outcome = feedCandidate(zombie, game, actor, context);
      if (!outcome) return outcome;
      const deadline = outcome.zombies?.[0]?.after?.deadline ?? zombie.deadline;
      return decision(outcome, zombie.player_id, deadline, game);
    },
  };
};

export interface FeedResult {
  fed: { alias: string; starves_at: string | null }[];
  count: number;
}

/**
 * The result for these players, without deleted ones, who have no alias.
 * @param known the number of living zombies that a game master knows of from whom original zombies are hidden: then nobody is
 *   named, and no more are counted
 */
export const feedResult = (
  fed: readonly FedPlayer[],
  aliases: ReadonlyMap<string, string>,
  known: number | undefined,
): FeedResult => {
  const named = fed.flatMap(({ player_id, starves_at }) => {
    const alias = aliases.get(player_id);
    return alias === undefined ? [] : [{ alias, starves_at }];
  });
  if (known === undefined) return { fed: named, count: named.length };
  return { fed: [], count: Math.min(named.length, known) };
};

/** The n living zombies nearest to starving, according to the index. */
export const selectHungriest = async (
  store: Store,
  game: Game,
  now: number,
  n: number,
): Promise<HungerEntry[]> => {
  const found: HungerEntry[] = [];
  for await (const { item } of store.hungerEntries(game, now, n)) {
    const entry = parseHungerEntry(item);
    if (starvedAt(game, entry, now) === null) found.push(entry);
    if (found.length >= n) break;
  }
  return found;
};

/** Like {@link selectHungriest}, but reads the players, because the index may lag behind a feeding. */
export const readHungriest = async (store: Store, game: Game, now: number, n: number): Promise<Zombie[]> => {
  const living = new Map<string, Zombie>();
  const inIndexOrder = new Set<string>();
  let candidates: HungerEntry[] = [];
  const readCandidates = async () => {
    const players = await store.players(candidates.map(({ player_id }) => player_id));
    for (const { player_id, deadline } of candidates) {
      const player = players.get(player_id);
      const zombie = player === undefined ? null : livingZombie(player, game, now);
      if (zombie === null) continue;
      living.set(player_id, zombie);
      // A player whose deadline is later than in the index may rank behind entries that were not read yet.
      if (zombie.deadline === deadline) inIndexOrder.add(player_id);
    }
    candidates = [];
  };
  for await (const { item } of store.hungerEntries(game, now, n)) {
    candidates.push(parseHungerEntry(item));
    if (inIndexOrder.size + candidates.length >= n) await readCandidates();
    if (inIndexOrder.size >= n) break;
  }
  await readCandidates();
  const rank = ({ deadline, player_id }: Zombie): string => hungerOrder(deadline, player_id);
  const hungriestFirst = [...living.values()].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
  return hungriestFirst.slice(0, n);
};
