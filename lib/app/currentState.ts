/** Scenes: what a command is judged by, read as it is now. */

import type { Game } from "../domain/clock.ts";
import { playerNotFound } from "../domain/domainError.ts";
import type { Player } from "../domain/player.ts";
import type { PlayerRef } from "../http/fields.ts";
import type { Services } from "../lambda/services.ts";
import type { Store } from "../store/store.ts";

interface Asking {
  player: Player;
  game: Game;
  services: Services;
}

/**
 * The asking player and the game for each attempt: at first as they were read at the door, then read again.
 * The function that it returns throws the DomainError `player_not_found`.
 */
export const reloadOnRetry = ({ player, game, services: { store } }: Asking) => {
  let first = true;
  return async (): Promise<{ player: Player; game: Game }> => {
    if (first) {
      first = false;
      return { player, game };
    }
    const [now, current] = await Promise.all([store.player(player.player_id), store.game()]);
    if (now === null) throw playerNotFound();
    return { player: now, game: await store.gameFor(current, now) };
  };
};

/**
 * The player that a request names.
 * @throws DomainError `player_not_found`
 */
export const findPlayer = async (store: Store, { alias, player_id }: PlayerRef): Promise<Player> => {
  const player = alias === undefined ? await store.player(player_id ?? "") : await store.playerByAlias(alias);
  if (player === null) throw playerNotFound();
  return player;
};
