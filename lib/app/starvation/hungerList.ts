/** The hungry: who is to starve next, and how many are how near to it. */
import { type Game, starvedAt, timeLeft, wallDeadline } from "../../domain/clock.ts";
import { HOUR, MINUTE, rfc3339 } from "../../domain/time.ts";
import { secondsLeft } from "../../domain/transitions.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import type { Services } from "../../lambda/services.ts";
import { type HungerEntry, parseHungerEntry } from "../../store/items.ts";
import { readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";

/** Under a day left is hungry, under six hours starving (contract, "Zombie"). */
const HUNGRY = 24 * HOUR;
const STARVING = 6 * HOUR;

const PLACE = { list: "starvation" };

// One whose deadline passed before a day was added stands among the living in the index.
const living = (entry: HungerEntry, game: Game, now: number): HungerEntry | null =>
  starvedAt(game, entry, now) === null ? entry : null;

/** A page of living zombies, hungriest first. @throws DomainError `invalid_request` for a bad cursor */
export const listHungryZombies = async (
  services: Services,
  game: Game,
  now: number,
  query: { limit: number; cursor?: string | undefined },
) => {
  const after = await readCursor(services, PLACE, query.cursor);
  const source = services.store.hungerEntries(game, now, query.limit + 1, after);
  const { items, next } = await readPage(source, query.limit, (item) =>
    living(parseHungerEntry(item), game, now),
  );
  return {
    zombies: items.map(({ alias, deadline }) => ({
      alias,
      starves_at: rfc3339(wallDeadline(game, deadline, now)),
      seconds_left: secondsLeft(game, deadline, now),
    })),
    next_cursor: await makeCursor(services, PLACE, next),
  };
};

/** How many have under a day left, and under six hours. */
interface Tally {
  hungry: number;
  starving: number;
}

/** So many are counted for whoever asks. Of more, a process keeps for a while what it has counted: see {@link tally}. */
export const CACHE_COUNTS_ABOVE = 1_000;
const KEPT = MINUTE;

const countHungry = async (store: Store, game: Game, now: number): Promise<Tally> => {
  const counted = { hungry: 0, starving: 0 };
  for await (const { item } of store.hungerEntries(game, now, CACHE_COUNTS_ABOVE)) {
    const entry = parseHungerEntry(item);
    const left = timeLeft(game, entry.deadline, now);
    if (left >= HUNGRY) break;
    if (living(entry, game, now) === null) continue;
    if (left < STARVING) counted.starving += 1;
    else counted.hungry += 1;
  }
  return counted;
};

const kept = new WeakMap<Store, Tally & { at: number; rev: number }>();

/**
 * The hungry as they are now; where they are more than a thousand, as they were at most a minute ago on the same game
 * clock. A unit reads about thirty of them: without that the list would cost the more the larger the game is.
 */
const tally = async (
  store: Store,
  game: Game,
  now: number,
  alive: Promise<{ zombies: number }>,
): Promise<Tally> => {
  const last = kept.get(store);
  if (last !== undefined && last.rev === game.rev && last.at <= now && now < last.at + KEPT) {
    // Many may have died meanwhile: more hungry than living ones are none.
    const { zombies } = await alive;
    if (last.hungry + last.starving <= zombies) return last;
  }
  const counted = await countHungry(store, game, now);
  if (counted.hungry + counted.starving > CACHE_COUNTS_ABOVE)
    kept.set(store, { ...counted, at: now, rev: game.rev });
  return counted;
};

/** How many living zombies are fed, hungry and starving: the fed are the rest of those who live. */
export const countByHunger = async (store: Store, game: Game, now: number) => {
  const counts = store.counts(game, now);
  const [{ zombies }, { hungry, starving }] = await Promise.all([counts, tally(store, game, now, counts)]);
  return { fed: Math.max(0, zombies - hungry - starving), hungry, starving };
};
