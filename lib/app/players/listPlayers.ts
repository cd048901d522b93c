/** Lists players for game masters and moderators. */
import { searchFor } from "../../domain/accounts/searchWords.ts";
import type { Player, State } from "../../domain/players/player.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { idOf } from "../../store/items.ts";
import { type Entry, expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { showAllToStaff } from "../lookups.ts";
import { readShortOfMissions } from "../missions/requirement.ts";
import { infoForStaff, playerInfo, type StaffInfo } from "../shown.ts";

/** Filters of a list; those that are left out choose everybody. */
interface Filters {
  state?: State | undefined;
  /** Whether they have passed the checkpoint. */
  passed?: boolean | undefined;
  pending?: boolean | undefined;
  search?: string | undefined;
  label?: string | undefined;
  /** Whether their invitation is unused. */
  invited?: boolean | undefined;
  /** Only those who attended fewer required missions. */
  missions_below?: number | undefined;
}

/** A player, and where the list goes on after them. */
interface Listed {
  position: string;
  player: Player;
}

/** The players of roster entries, read in batches. */
export async function* readPlayers(
  store: Store,
  roster: AsyncIterable<Entry>,
  batch: number,
): AsyncGenerator<Listed> {
  let unread: { position: string; id: string }[] = [];
  const read = async () => {
    const players = await store.players(
      unread.map(({ id }) => id),
      { consistent: false },
    );
    const found = unread.flatMap(({ position, id }) => {
      const player = players.get(id);
      return player === undefined ? [] : [{ position, player }];
    });
    unread = [];
    return found;
  };
  for await (const { position, item } of roster) {
    unread.push({ position, id: idOf(item) });
    if (unread.length >= batch) yield* await read();
  }
  if (unread.length > 0) yield* await read();
}

/** A player of a list, or `null` where a filter leaves one out. */
interface Filtered {
  position: string;
  item: Player | null;
}

async function* filtered(
  players: AsyncIterable<Listed>,
  isWanted: (player: Player) => boolean,
): AsyncGenerator<Filtered> {
  for await (const { position, player } of players)
    yield { position, item: isWanted(player) ? player : null };
}

/** Leaves out all but the players whose invitation is unused, or those; their credentials are read in batches. */
async function* filteredByInvitation(
  store: Store,
  players: AsyncIterable<Filtered>,
  isInvited: boolean,
  batch: number,
): AsyncGenerator<Filtered> {
  let unread: Filtered[] = [];
  const read = async (): Promise<Filtered[]> => {
    const invited = await store.invited(unread.flatMap(({ item }) => item?.player_id ?? []));
    const found = unread.map(({ position, item }) => ({
      position,
      item: item !== null && invited.has(item.player_id) === isInvited ? item : null,
    }));
    unread = [];
    return found;
  };
  for await (const one of players) {
    unread.push(one);
    if (unread.length >= batch) yield* await read();
  }
  if (unread.length > 0) yield* await read();
}

/** Whether a player attended too few required missions; everybody without that filter, and for moderators nobody. */
const shortOfMissions = async (
  { context, game, player: viewer, services: { store } }: ReadCall,
  min: number | undefined,
): Promise<(player: Player) => boolean> => {
  if (min === undefined) return () => true;
  if (!viewer.is_admin) return () => false;
  return readShortOfMissions(store, game, min, context);
};

/** A filtered page of players, ordered by folded alias. @param page.after the position at which it begins */
export const listPlayers = async (
  call: ReadCall,
  filters: Filters,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ players: StaffInfo[]; next: string | null }> => {
  const { services, player: viewer, game, now } = call;
  const { store } = services;
  const { state, passed, pending, search, label, invited, missions_below } = filters;
  const isShort = await shortOfMissions(call, missions_below);
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const isFound = searchFor(search ?? "");
  const expected = expectedEntries(limit, isFiltered);
  const batch = Math.min(expected, 100);
  const isWanted = (player: Player): boolean => {
    const info = infoForStaff(playerInfo(player, viewer, game, now, null), player, viewer);
    return (
      (state === undefined || info.state === state) &&
      (passed === undefined || (info.passed_at !== null) === passed) &&
      (pending === undefined || info.pending === pending) &&
      (invited === undefined || viewer.is_admin) &&
      (label === undefined || info.labels.includes(label)) &&
      isShort(player) &&
      isFound(info)
    );
  };
  const wanted = filtered(readPlayers(store, store.rosterEntries(game, expected, after), batch), isWanted);
  const { items, next } = await readPage(
    invited === undefined ? wanted : filteredByInvitation(store, wanted, invited, batch),
    limit,
    (player) => player,
    isFiltered ? MAX_LOOKED_THROUGH : undefined,
  );
  return { players: await showAllToStaff(store, items, game, now, viewer), next };
};
