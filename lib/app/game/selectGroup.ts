/** The players that a command on a group selects. */
import { foldAlias } from "../../domain/accounts/alias.ts";
import type { Game } from "../../domain/game/game.ts";
import { needsDecision, type Player, type State, stateOf } from "../../domain/players/player.ts";
import { knowsSecrets, shownPlayer } from "../../domain/players/visibility.ts";
import type { GroupCommand } from "../../jobs/tasks.ts";
import { compareBytes } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { findPlayers } from "../currentState.ts";
import { readPlayers } from "../players/listPlayers.ts";

/** What selects players. A player must match all given fields. */
export interface Group {
  aliases?: readonly string[] | undefined;
  label?: string | undefined;
  state?: State | undefined;
}

/** A selected player, and their position in the roster. */
interface Selected {
  position: string;
  player: Player;
  /** Whether the player's state allows the command. */
  applies: boolean;
}

const byAlias = (players: readonly Player[]): { position: string; player: Player }[] =>
  players
    .map((player) => ({ position: foldAlias(player.alias), player }))
    .sort((one, other) => compareBytes(one.position, other.position));

/**
 * Whether a command of a group is for players in the state of this one. Game masters who know secrets do not revive
 * themselves.
 * @param actor the game master's player id
 */
export const isFor = (
  player: Player,
  { action, from }: GroupCommand,
  actor: string,
  game: Game,
  now: number,
): boolean => {
  const isOwnReturn = action === "revive_all" && player.player_id === actor && knowsSecrets(player);
  return !isOwnReturn && stateOf(player, game, now) === from;
};

/**
 * Yields the players whom a group selects, ordered by alias.
 * @param master the game master who makes the request
 * @throws DomainError `player_not_found` if an alias is unknown
 */
export async function* selectGroup(
  store: Store,
  game: Game,
  now: number,
  { aliases, label, state }: Group,
  command: GroupCommand,
  administrator: Player,
): AsyncGenerator<Selected> {
  const candidates =
    aliases === undefined
      ? readPlayers(store, store.rosterEntries(game, 500), 100)
      : byAlias(await findPlayers(store, aliases));
  for await (const { position, player } of candidates) {
    if (label !== undefined && !player.labels.includes(label)) continue;
    // It must not show who is a hidden original zombie, so it applies only if that is what the game master sees.
    const isMeant = [player, shownPlayer(player, administrator, game, now)].every((one) =>
      isFor(one, command, administrator.player_id, game, now),
    );
    const applies = isMeant && !needsDecision(player);
    if (isMeant || state === undefined) yield { position, player, applies };
  }
}
