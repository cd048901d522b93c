/** Lists players for game masters and moderators. */
import { searchFor } from "../../domain/accounts/searchWords.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Player, State } from "../../domain/players/player.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import type { StaffPlayer } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { idOf } from "../../store/items.ts";
import { type Entry, expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { loadInfectorAliases } from "../lookups.ts";
import { infoForStaff, playerInfo } from "../shown.ts";

interface ListRequest {
  services: Services;
  /** The player who makes the request. */
  player: Player;
  game: Game;
  now: number;
  query: {
    limit: number;
    cursor?: string | undefined;
    state?: State | undefined;
    passed?: "true" | "false" | undefined;
    pending?: "true" | "false" | undefined;
    search?: string | undefined;
    label?: string | undefined;
    invited?: "true" | "false" | undefined;
  };
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

/** A filtered page of players, ordered by folded alias. @throws DomainError `invalid_request` for a bad cursor */
export const listPlayers = async ({ services, player: viewer, game, now, query }: ListRequest) => {
  const { limit, cursor, state, passed, pending, search, label, invited } = query;
  const filters = { state, passed, pending, search, label, invited };
  const { store } = services;
  const place = { list: "get_players", filters };
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const isFound = searchFor(search ?? "");
  const expected = expectedEntries(limit, isFiltered);
  const roster = store.rosterEntries(game, expected, await readCursor(services, place, cursor));
  const batch = Math.min(expected, 100);
  const isWanted = (player: Player): boolean => {
    const info = infoForStaff(playerInfo(player, viewer, game, now, null), player, viewer);
    return (
      (state === undefined || info.state === state) &&
      (passed === undefined || (info.passed_at !== null) === (passed === "true")) &&
      (pending === undefined || String(info.pending) === pending) &&
      (invited === undefined || viewer.is_admin) &&
      (label === undefined || info.labels.includes(label)) &&
      isFound(info)
    );
  };
  const wanted = filtered(readPlayers(store, roster, batch), isWanted);
  const { items, next } = await readPage(
    invited === undefined ? wanted : filteredByInvitation(store, wanted, invited === "true", batch),
    limit,
    (player) => player,
    isFiltered ? MAX_LOOKED_THROUGH : undefined,
  );
  const aliases = await loadInfectorAliases(store, items);
  const players = items.map(
    (player): StaffPlayer =>
      infoForStaff(
        playerInfo(player, viewer, game, now, aliases.get(player.infected_by ?? "") ?? null),
        player,
        viewer,
      ),
  );
  return { players, next_cursor: await makeCursor(services, place, next) };
};
