/** The response that an open page polls: the player, the game, and the interactions since the last poll. */
import { secondsLeft } from "../domain/game/clock.ts";
import { livingZombie } from "../domain/players/player.ts";
import { shownInteraction } from "../domain/players/visibility.ts";
import { SECOND } from "../domain/time.ts";
import type { StoredItem } from "../dynamodb/database.ts";
import type { ReadCall } from "../lambda/call.ts";
import { parseInteraction } from "../store/items.ts";
import { firstIdAt, timeOfId } from "../store/keys.ts";
import { readPage } from "../store/lists.ts";
import { gameView } from "./game/gameView.ts";
import { recentCounts } from "./game/recentCounts.ts";
import { showInteractions, showPlayer } from "./lookups.ts";
import { unreadMessages } from "./notifications/inbox.ts";

interface LiveQuery {
  after?: string | undefined;
  inbox_after?: string | undefined;
}

const MAX_INTERACTIONS = 50;

/**
 * An interaction gets its id before it is written, so one with an earlier id may appear later. Interactions up to this
 * many milliseconds before `after` are read again.
 */
const OVERLAP_MS = 10 * SECOND;

/**
 * The `after` of a request; `undefined` if it is an id of the future, which no response had: clocks of processes differ by
 * less than {@link OVERLAP_MS}. Nothing newer would be found for as long.
 */
const unlessInvented = (after: string | undefined, now: number): string | undefined =>
  after !== undefined && timeOfId(after) > now + OVERLAP_MS ? undefined : after;

/**
 * The id after which interactions are read. An old `after` needs no overlap, since nothing can appear before it any
 * more.
 */
const startOf = (after: string | undefined, now: number): string | undefined => {
  if (after === undefined) return undefined;
  const at = timeOfId(after);
  return now - at > 3 * OVERLAP_MS ? after : firstIdAt(at - OVERLAP_MS);
};

export const live = async ({ player, game, now, services }: ReadCall, query: LiveQuery) => {
  const { store } = services;
  const after = unlessInvented(query.after, now);
  /** The newest of the interactions that were found and may be known: `after` itself need not exist. */
  let newest = "";
  const shownUnlessKnown = (item: StoredItem) => {
    const shown = shownInteraction(parseInteraction(item), player, game, now);
    if (shown !== null && item.sk > newest) newest = item.sk;
    return item.sk === after ? null : shown;
  };
  const [page, unread] = await Promise.all([
    readPage(
      store.interactionEntries(game, MAX_INTERACTIONS + 1, { after: startOf(after, now) }),
      MAX_INTERACTIONS,
      shownUnlessKnown,
    ),
    unreadMessages({ player, game, now, services }, query.inbox_after),
  ]);
  const [shown, interactions, counts] = await Promise.all([
    showPlayer(store, player, game, now),
    showInteractions(store, page.items, player),
    recentCounts(store, game, now, player, newest),
  ]);
  const next = [page.items[0]?.interaction_id, after].reduce<string | null>(
    (latest, id) => (id !== undefined && id > (latest ?? "") ? id : latest),
    null,
  );
  const zombie = livingZombie(player, game, now);
  return {
    player: shown,
    seconds_left: zombie === null ? null : secondsLeft(game, zombie.deadline, now),
    game: gameView(services, game, now, counts),
    interactions,
    truncated: page.next !== null,
    next_after: next,
    unread: unread.length,
    newest_unread: unread[0] ?? null,
    ...(player.push_off_at === undefined ? {} : { push_off_at: player.push_off_at }),
    rev: game.rev,
  };
};
