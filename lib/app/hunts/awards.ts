/** Computes the awards and their winners. */
import type { Game } from "../../domain/game/game.ts";
import { type Award, type Awards, awardsOf, requireAwards } from "../../domain/hunts/awards.ts";
import { stateOf } from "../../domain/players/player.ts";
import { MINUTE } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type GivenAward, readSeasonEnd } from "../../store/seasons/seasonEnd.ts";
import type { Store } from "../../store/store.ts";

/** Further winners of a shared award, and further members of a chain, are counted but not named. */
const MAX_NAMED = 50;

const view = (awards: Awards, given: readonly GivenAward[], aliases: ReadonlyMap<string, string>) => {
  const viewOf = (award: Award | null) => {
    if (award === null) return null;
    const { value, at } = award;
    // Deleted players are not named.
    const winners = award.winners.flatMap((id) => aliases.get(id) ?? []).sort();
    return { value, at, winners: winners.slice(0, MAX_NAMED), count: winners.length };
  };
  const { most_kills, longest_survivor, longest_chain, most_meals_shared, first_tag, last_human } = awards;
  const { most_points } = awards;
  const chain = viewOf(longest_chain);
  return {
    given: given.map(({ title, text, player_id }) => ({
      title,
      text,
      alias: aliases.get(player_id) ?? null,
    })),
    most_kills: viewOf(most_kills),
    longest_survivor: viewOf(longest_survivor),
    longest_chain:
      chain === null
        ? null
        : {
            ...chain,
            chain: (longest_chain?.chain ?? []).slice(0, MAX_NAMED).map((id) => aliases.get(id) ?? null),
          },
    most_meals_shared: viewOf(most_meals_shared),
    most_points: viewOf(most_points),
    first_tag: viewOf(first_tag),
    last_human: viewOf(last_human),
  };
};

/** The awards with the aliases of their winners. */
export type AwardsInfo = ReturnType<typeof view>;

/** The current awards. Reads every player in the roster and every interaction. */
export const loadAwards = async (store: Store, game: Game, now: number): Promise<AwardsInfo> => {
  const [players, events, end] = await mapBusyToUnavailable(
    Promise.all([store.roster(game), store.awardEvents(game), readSeasonEnd(store.db, false)]),
  );
  const contenders = players.map((player) => ({ ...player, state: stateOf(player, game, now) }));
  const aliases = new Map(players.map(({ player_id, alias }) => [player_id, alias]));
  return view(awardsOf(contenders, events, game, now), end?.awards ?? [], aliases);
};

const CACHE_MS = MINUTE;
const cache = new WeakMap<Store, { awards: Promise<AwardsInfo>; at: number; rev: number }>();

/** Like {@link loadAwards}, but up to a minute old, because everybody opens the awards when a game ends. */
const recentAwards = (store: Store, game: Game, now: number): Promise<AwardsInfo> => {
  const cached = cache.get(store);
  const isFresh =
    cached !== undefined && cached.rev === game.rev && cached.at <= now && now < cached.at + CACHE_MS;
  if (isFresh) return cached.awards;
  const awards = loadAwards(store, game, now);
  cache.set(store, { awards, at: now, rev: game.rev });
  awards.catch(() => cache.delete(store));
  return awards;
};

/** The awards for a player. @throws DomainError `too_early` */
export const readAwards = async ({ game, now, player, services }: ReadCall): Promise<AwardsInfo> => {
  requireAwards(game, player, now);
  return recentAwards(services.store, game, now);
};
