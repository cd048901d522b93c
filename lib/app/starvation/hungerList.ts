/** Lists the living zombies by hunger, and counts them. */
import { gameTimeLeft, secondsLeft, starvedAt, wallDeadline } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import { livingZombie, type Player } from "../../domain/players/player.ts";
import { HOUR, MINUTE, nullableRfc3339 } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { hiddenFrom, type LoadHidden } from "../../store/hunts/hiddenOriginals.ts";
import { type HungerEntry, parseHungerEntry } from "../../store/items.ts";
import { readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { identityOf } from "../shown.ts";

/** A zombie with less time left than this is hungry, or starving (docs/api.md, "Zombies"). */
const HUNGRY_MS = 24 * HOUR;
const STARVING_MS = 6 * HOUR;

// The index may contain zombies that starved before a day was added.
const ifAlive = (entry: HungerEntry, game: Game, now: number): HungerEntry | null =>
  starvedAt(game, entry, now) === null ? entry : null;

const listHungryZombies = async (
  store: Store,
  game: Game,
  now: number,
  { limit, after }: { limit: number; after: string | undefined },
  hidden: LoadHidden | undefined,
) => {
  const source = store.hungerEntries(game, now, limit + 1, after, hidden);
  const { items, next } = await readPage(source, limit, (item) => ifAlive(parseHungerEntry(item), game, now));
  return {
    zombies: items.map(({ deadline, ...zombie }) => ({
      ...identityOf(zombie),
      alias: zombie.alias,
      starves_at: nullableRfc3339(wallDeadline(game, deadline, now)),
      seconds_left: secondsLeft(game, deadline, now),
    })),
    next,
  };
};

/** The numbers of hungry and of starving zombies, which do not overlap. */
interface HungerCounts {
  hungry: number;
  starving: number;
}

/** Higher counts are cached for a minute, because counting reads every hungry zombie. */
export const CACHE_COUNTS_ABOVE = 1_000;
const CACHE_MS = MINUTE;

const countHungry = async (store: Store, game: Game, now: number): Promise<HungerCounts> => {
  const counted = { hungry: 0, starving: 0 };
  for await (const { item } of store.hungerEntries(game, now, CACHE_COUNTS_ABOVE)) {
    const entry = parseHungerEntry(item);
    const left = gameTimeLeft(game, entry.deadline, now);
    if (left >= HUNGRY_MS) break;
    if (ifAlive(entry, game, now) === null) continue;
    if (left < STARVING_MS) counted.starving += 1;
    else counted.hungry += 1;
  }
  return counted;
};

const cache = new WeakMap<Store, HungerCounts & { at: number; rev: number }>();

/**
 * The current counts. Counts above a thousand are cached for up to a minute, unless the game clock changes. One read
 * unit covers about 30 zombies, so without the cache the cost of each list would grow with the game.
 */
const loadHungerCounts = async (
  store: Store,
  game: Game,
  now: number,
  alive: Promise<{ zombies: number }>,
): Promise<HungerCounts> => {
  const cached = cache.get(store);
  if (cached !== undefined && cached.rev === game.rev && cached.at <= now && now < cached.at + CACHE_MS) {
    // Zombies may have died since, so a count above the number of living ones is outdated.
    const { zombies } = await alive;
    if (cached.hungry + cached.starving <= zombies) return cached;
  }
  const counted = await countHungry(store, game, now);
  if (counted.hungry + counted.starving > CACHE_COUNTS_ABOVE)
    cache.set(store, { ...counted, at: now, rev: game.rev });
  return counted;
};

/** The count that includes a player; `null` for a player who is not a living zombie. */
const hungerOf = (player: Player, game: Game, now: number): keyof HungerCounts | "fed" | null => {
  const zombie = livingZombie(player, game, now);
  if (zombie === null) return null;
  const left = gameTimeLeft(game, zombie.deadline, now);
  return left < STARVING_MS ? "starving" : left < HUNGRY_MS ? "hungry" : "fed";
};

/** The numbers of fed, hungry and starving zombies, which add up to the living zombies that the viewer may know of. */
const countByHunger = async (store: Store, game: Game, now: number, hidden: LoadHidden | undefined) => {
  const counts = store.counts(game, now);
  const [{ zombies }, { hungry, starving }] = await Promise.all([
    counts,
    loadHungerCounts(store, game, now, counts),
  ]);
  const counted = { fed: zombies - hungry - starving, hungry, starving };
  for (const { player, shown } of (await hidden?.())?.players.values() ?? []) {
    const [is, seems] = [hungerOf(player, game, now), hungerOf(shown, game, now)];
    if (is !== null) counted[is] -= 1;
    if (seems !== null) counted[seems] += 1;
  }
  return {
    fed: Math.max(0, counted.fed),
    hungry: Math.max(0, counted.hungry),
    starving: Math.max(0, counted.starving),
  };
};

/** A page of living zombies, hungriest first, and the numbers of zombies by hunger. @param page.after a position */
export const readHunger = async (
  { game, now, player, services: { store } }: ReadCall,
  page: { limit: number; after: string | undefined },
) => {
  const hidden = hiddenFrom(store.db, player, game, now);
  const [listed, counts] = await Promise.all([
    listHungryZombies(store, game, now, page, hidden),
    countByHunger(store, game, now, hidden),
  ]);
  return { ...listed, counts };
};
