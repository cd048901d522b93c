/** The response that an open page polls: the player, the game, and the interactions since the last poll. */
import * as z from "zod/mini";
import { secondsLeft } from "../domain/game/clock.ts";
import { livingZombie } from "../domain/players/player.ts";
import { shownInteraction } from "../domain/players/visibility.ts";
import { integer, nullableText } from "../domain/schemas.ts";
import { SECOND } from "../domain/time.ts";
import type { StoredItem } from "../dynamodb/database.ts";
import type { ReadCallOf as ReadCall } from "../http/definition.ts";
import { InteractionReturnType, PlayerReturnInfo, Timestamp } from "../http/views.ts";
import { parseInteraction } from "../store/items.ts";
import { firstIdAt, timeOfId } from "../store/keys.ts";
import { readPage } from "../store/lists.ts";
import { GameView, gameView } from "./game/gameView.ts";
import { recentCounts } from "./game/recentCounts.ts";
import { showInteractions, showPlayer } from "./lookups.ts";
import { InboxMessage, unreadMessages } from "./notifications/inbox.ts";

export const LiveView = z.lazy(() =>
  z.object({
    player: PlayerReturnInfo,
    /** The play time until a zombie starves. */
    seconds_left: z.nullable(integer),
    game: GameView,
    /** The interactions since `after`, newest first. */
    interactions: z.array(InteractionReturnType),
    /** Whether there are more interactions since `after` than these. */
    truncated: z.boolean(),
    /** The value to send as `after` in the next request. */
    next_after: nullableText,
    unread: integer,
    newest_unread: z.nullable(InboxMessage),
    /** When the player last turned push off on all devices. */
    push_off_at: z.optional(Timestamp),
    rev: integer,
  }),
);

interface LiveQuery {
  after?: string | undefined;
  inbox_after?: string | undefined;
}

type LiveCall = ReadCall<"player", LiveQuery, z.infer<typeof LiveView>>;

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

export const live = async ({ player, game, now, query, services }: LiveCall) => {
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
