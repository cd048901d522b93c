/** A page of players with everything, for game masters. */
import type { Game } from "../../domain/clock.ts";
import type { Player, State } from "../../domain/player.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import { type PlayerReturnInfo, playerInfo } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { idOf } from "../../store/items.ts";
import { type Entry, expectedEntries } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { loadInfectorAliases } from "../lookups.ts";

interface Asked {
  services: Services;
  game: Game;
  now: number;
  query: {
    limit: number;
    cursor?: string | undefined;
    state?: State | undefined;
    passed?: "true" | "false" | undefined;
  };
}

/** The roster's entries with their whole players, read a batch at a time. */
async function* wholePlayers(
  store: Store,
  roster: AsyncIterable<Entry>,
  batch: number,
): AsyncGenerator<{ position: string; player: Player }> {
  let waiting: { position: string; id: string }[] = [];
  const read = async () => {
    const players = await store.players(
      waiting.map(({ id }) => id),
      { consistent: false },
    );
    const found = waiting.flatMap(({ position, id }) => {
      const player = players.get(id);
      return player === undefined ? [] : [{ position, player }];
    });
    waiting = [];
    return found;
  };
  for await (const { position, item } of roster) {
    waiting.push({ position, id: idOf(item) });
    if (waiting.length >= batch) yield* await read();
  }
  if (waiting.length > 0) yield* await read();
}

/** A page of players by folded alias, filtered. @throws DomainError `invalid_request` for a bad cursor */
export const listPlayers = async ({ services, game, now, query }: Asked) => {
  const { limit, cursor, state, passed } = query;
  const { store } = services;
  const place = { list: "get_players", filters: { state, passed } };
  const expected = expectedEntries(limit, state !== undefined || passed !== undefined);
  const roster = store.rosterEntries(expected, await readCursor(services, place, cursor));
  const taken: { position: string; player: Player }[] = [];
  for await (const one of wholePlayers(store, roster, Math.min(expected, 100))) {
    const shown = playerInfo(one.player, game, now, null);
    if (state !== undefined && shown.state !== state) continue;
    if (passed !== undefined && (shown.passed_at !== null) !== (passed === "true")) continue;
    taken.push(one);
    if (taken.length > limit) break;
  }
  const page = taken.slice(0, limit).map(({ player }) => player);
  const names = await loadInfectorAliases(store, page);
  const players: PlayerReturnInfo[] = page.map((player) =>
    playerInfo(player, game, now, names.get(player.infected_by ?? "") ?? null),
  );
  const last = taken.length > limit ? (taken[limit - 1]?.position ?? null) : null;
  return { players, next_cursor: await makeCursor(services, place, last) };
};
