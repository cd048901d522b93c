/** Lists players for game masters and moderators. */
import type { Game } from "../../domain/game.ts";
import type { Player, State } from "../../domain/player.ts";
import { searchFor } from "../../domain/searchWords.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import { infoForStaff, playerInfo, type StaffPlayer } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { idOf } from "../../store/items.ts";
import { type Entry, expectedEntries } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { loadInfectorAliases } from "../lookups.ts";

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

/** The elements for which `isWanted` is true. */
async function* filterEach<T>(all: AsyncIterable<T>, isWanted: (one: T) => boolean): AsyncGenerator<T> {
  for await (const one of all) if (isWanted(one)) yield one;
}

/** The players whose invitation is unused, or all others; their credentials are read in batches. */
async function* readInvited(
  store: Store,
  players: AsyncIterable<Listed>,
  isInvited: boolean,
  batch: number,
): AsyncGenerator<Listed> {
  let unread: Listed[] = [];
  const read = async (): Promise<Listed[]> => {
    const invited = await store.invited(unread.map(({ player }) => player.player_id));
    const found = unread.filter(({ player }) => invited.has(player.player_id) === isInvited);
    unread = [];
    return found;
  };
  for await (const listed of players) {
    unread.push(listed);
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
  const isWanted = ({ player }: Listed): boolean => {
    const info = infoForStaff(playerInfo(player, viewer, game, now, null), player, viewer);
    if (state !== undefined && info.state !== state) return false;
    if (passed !== undefined && (info.passed_at !== null) !== (passed === "true")) return false;
    if (pending !== undefined && String(info.pending) !== pending) return false;
    if (invited !== undefined && !viewer.is_admin) return false;
    if (label !== undefined && !info.labels.includes(label)) return false;
    return isFound(info);
  };
  const wanted = filterEach(readPlayers(store, roster, batch), isWanted);
  const matching: Listed[] = [];
  for await (const entry of invited === undefined
    ? wanted
    : readInvited(store, wanted, invited === "true", batch)) {
    matching.push(entry);
    if (matching.length > limit) break;
  }
  const page = matching.slice(0, limit).map(({ player }) => player);
  const aliases = await loadInfectorAliases(store, page);
  const players = page.map(
    (player): StaffPlayer =>
      infoForStaff(
        playerInfo(player, viewer, game, now, aliases.get(player.infected_by ?? "") ?? null),
        player,
        viewer,
      ),
  );
  const last = matching.length > limit ? (matching[limit - 1]?.position ?? null) : null;
  return { players, next_cursor: await makeCursor(services, place, last) };
};
