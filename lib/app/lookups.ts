/** Builds responses about players and interactions, with the aliases that they contain. */
import type { Game } from "../domain/game/game.ts";
import type { Interaction } from "../domain/hunts/interaction.ts";
import type { Player } from "../domain/players/player.ts";
import type { ShownInteraction } from "../domain/players/visibility.ts";
import { picturePath } from "../store/accounts/playerRefs.ts";
import { withNotes } from "../store/hunts/huntNotes.ts";
import type { NamedEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import {
  type InteractionInfo,
  infoForStaff,
  interactionView,
  maySeeHuntDetails,
  type PlayerInfo,
  playerInfo,
  type StaffInfo,
} from "./shown.ts";

/** The aliases of the players who infected these players, by player id. */
const loadInfectorAliases = async (
  store: Store,
  players: readonly Player[],
): Promise<Map<string, string>> => {
  const ids = players.flatMap(({ infection_id, infected_by }) =>
    infection_id !== null && infected_by !== null ? [infected_by] : [],
  );
  return loadAliases(store, ids);
};

/** Aliases by player id; deleted players have none. */
export const loadAliases = async (store: Store, ids: Iterable<string>): Promise<Map<string, string>> =>
  aliasesOf(await store.named(ids));

const aliasesOf = (players: ReadonlyMap<string, NamedEntry>): Map<string, string> =>
  new Map([...players].map(([id, { alias }]) => [id, alias]));

/**
 * A player with their private fields and the alias of their infector, as `viewer` may see them. By default, the viewer
 * is the player.
 */
export const showPlayer = async (
  store: Store,
  player: Player,
  game: Game,
  now: number,
  viewer = player,
): Promise<PlayerInfo> => {
  const aliases = await loadInfectorAliases(store, [player]);
  return playerInfo(player, viewer, game, now, aliases.get(player.infected_by ?? "") ?? null);
};

/** A player with private fields, labels, note and infector, as a game master or moderator may see them. */
export const showToStaff = async (
  store: Store,
  player: Player,
  game: Game,
  now: number,
  viewer: Player,
): Promise<StaffInfo> => infoForStaff(await showPlayer(store, player, game, now, viewer), player, viewer);

/** The same of several players. */
export const showAllToStaff = async (
  store: Store,
  players: readonly Player[],
  game: Game,
  now: number,
  viewer: Player,
): Promise<StaffInfo[]> => {
  const aliases = await loadInfectorAliases(store, players);
  return players.map((player) => {
    const infector = aliases.get(player.infected_by ?? "") ?? null;
    return infoForStaff(playerInfo(player, viewer, game, now, infector), player, viewer);
  });
};

/** The ids of all players in these interactions. */
export const playersIn = (interactions: readonly Interaction[]): Set<string> =>
  new Set(
    interactions
      .flatMap(({ actor, target, suspect = null, shared_with = [] }) => [
        actor,
        target,
        suspect,
        ...shared_with,
      ])
      .filter((id) => id !== null),
  );

/** A viewer without an account. */
export const NOBODY = { player_id: "", is_admin: false, is_moderator: false };

/** The path of a player's picture; `undefined` without a picture. */
export const pictureOf = (players: ReadonlyMap<string, NamedEntry>, id: string | null): string | undefined =>
  picturePath(id ?? "", players.get(id ?? "")?.picture_hash ?? null) ?? undefined;

/** An interaction of a list, with the pictures of its players. */
export type ListedInteraction = InteractionInfo & {
  actor_picture_url: string | undefined;
  target_picture_url: string | undefined;
};

/** Interactions, as `shownInteraction` gives them to a player, with aliases, pictures, notes and coordinates. */
export const showInteractions = async (
  store: Store,
  interactions: readonly ShownInteraction[],
  viewer: Pick<Player, "player_id" | "is_admin" | "is_moderator">,
): Promise<ListedInteraction[]> => {
  const [players, complete] = await Promise.all([
    store.named(playersIn(interactions)),
    withNotes(store.db, interactions, (one) => maySeeHuntDetails(one, viewer)),
  ]);
  const aliases = aliasesOf(players);
  return complete.map((interaction) => ({
    ...interactionView(interaction, aliases, viewer),
    actor_picture_url: pictureOf(players, interaction.actor),
    target_picture_url: pictureOf(players, interaction.target),
  }));
};
