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
  };
}

/** The players of roster entries, read in batches. */
export async function* readPlayers(
  store: Store,
  roster: AsyncIterable<Entry>,
  batch: number,
): AsyncGenerator<{ position: string; player: Player }> {
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

/** A filtered page of players, ordered by folded alias. @throws DomainError `invalid_request` for a bad cursor */
export const listPlayers = async ({ services, player: viewer, game, now, query }: ListRequest) => {
  const { limit, cursor, state, passed, pending, search, label } = query;
  const { store } = services;
  const place = { list: "get_players", filters: { state, passed, pending, search, label } };
  const isFiltered = [state, passed, pending, search, label].some((filter) => filter !== undefined);
  const isFound = searchFor(search ?? "");
  const expected = expectedEntries(limit, isFiltered);
  const roster = store.rosterEntries(game, expected, await readCursor(services, place, cursor));
  const matching: { position: string; player: Player }[] = [];
  for await (const entry of readPlayers(store, roster, Math.min(expected, 100))) {
    const info = infoForStaff(playerInfo(entry.player, viewer, game, now, null), entry.player, viewer);
    if (state !== undefined && info.state !== state) continue;
    if (passed !== undefined && (info.passed_at !== null) !== (passed === "true")) continue;
    if (pending !== undefined && String(info.pending) !== pending) continue;
    if (label !== undefined && !info.labels.includes(label)) continue;
    if (!isFound(info)) continue;
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
