/** Finds players by their references. */
import type { Game } from "../domain/game.ts";
import type { Player } from "../domain/player.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { NO_DEADLINE } from "./commit.ts";
import { idOf } from "./items.ts";
import { keys, rosterList } from "./keys.ts";
import { readAllUnordered } from "./lists.ts";
import { isPlayerRef, playerRef } from "./playerRefs.ts";
import type { Store } from "./store.ts";

/** Finds the player of an account that an earlier version created. Reads the whole roster, and writes the missing guard. */
const findUnguarded = async (store: Store, game: Game, ref: string): Promise<Player | null> => {
  const list = { index: "gsi1", partition: rosterList, shards: game.shards } as const;
  const roster = await readAllUnordered(store.db, list, []);
  const id = roster.map(idOf).find((one) => playerRef(one) === ref);
  const player = id === undefined ? null : await store.player(id);
  if (player === null) return null;
  const { player_id, rev } = player;
  try {
    const check = { check: keys.player(player_id), expect: { rev } };
    await store.commit([check, { put: { ...keys.playerRef(ref), player_id } }], NO_DEADLINE);
  } catch (error) {
    // The player was changed concurrently: the next lookup writes the guard.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return player;
};

/** The player with this reference; `null` if there is none. */
export const playerByRef = async (store: Store, game: Game, ref: string): Promise<Player | null> => {
  if (!isPlayerRef(ref)) return null;
  const id = await store.playerIdByRef(ref);
  return id === null ? findUnguarded(store, game, ref) : store.player(id);
};
