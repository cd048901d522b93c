/** Reads the players and the game that a command depends on. */
import { DomainError, playerNotFound } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import type { Player } from "../domain/players/player.ts";
import { maySeeSecrets } from "../domain/players/visibility.ts";
import type { PlayerCall } from "../lambda/call.ts";
import { isPlayerRef } from "../store/accounts/playerRefs.ts";
import type { Store } from "../store/store.ts";

/** Whether a player is the only game master. Reads the others only if that decides whether they may enter play. */
export const isOnlyAdministrator = async (store: Store, player: Player): Promise<boolean> =>
  maySeeSecrets(player) && (await store.administrators()).ids.every((id) => id === player.player_id);

/** Reads the player that a request names by alias or reference. @throws DomainError `player_not_found` */
export const findPlayerByAliasOrRef = async (
  store: Store,
  { alias, player_ref }: { alias?: string | undefined; player_ref?: string | undefined },
): Promise<Player> => {
  if (player_ref === undefined) return findPlayer(store, { alias });
  const id = isPlayerRef(player_ref) ? await store.playerIdByRef(player_ref) : null;
  const player = id === null ? null : await store.player(id);
  if (player === null) throw playerNotFound();
  return player;
};

/** The alias or the id of a player; a request has exactly one of them. */
export interface PlayerName {
  alias?: string | undefined;
  player_id?: string | undefined;
}

/** Reads the player that a request names by alias or id. @throws DomainError `player_not_found` */
export const findPlayer = async (store: Store, { alias, player_id }: PlayerName): Promise<Player> => {
  const player = alias === undefined ? await store.player(player_id ?? "") : await store.playerByAlias(alias);
  if (player === null) throw playerNotFound();
  return player;
};

/**
 * Reads the player whom a command is about, and the game, which is at least as new. The audit log entry names the player.
 * @throws DomainError `player_not_found`
 */
export const findTarget = async (
  { audit, game, services: { store } }: PlayerCall,
  named: PlayerName,
): Promise<{ target: Player; game: Game }> => {
  const target = await findPlayer(store, named);
  audit.target = target.player_id;
  return { target, game: await store.gameFor(game, target) };
};

/** Reads the players with these aliases, each once. @throws DomainError `player_not_found`, with the unknown aliases */
export const findPlayers = async (store: Store, aliases: readonly string[]): Promise<Player[]> => {
  const found = await Promise.all(
    aliases.map(async (alias) => ({ alias, player: await store.playerByAlias(alias) })),
  );
  const unknown = found.filter(({ player }) => player === null).map(({ alias }) => alias);
  if (unknown.length > 0) {
    throw new DomainError("player_not_found", `There is no player with the alias ${unknown.join(", ")}.`);
  }
  const players = found.flatMap(({ player }) => (player === null ? [] : [player]));
  return [...new Map(players.map((player) => [player.player_id, player])).values()];
};
