/** The history of the game, newest first, as a player may see it. */
import { DomainError, playerNotFound } from "../domain/domainError.ts";
import { concerns, type Interaction, type Kind } from "../domain/hunts/interaction.ts";
import { shownInteraction } from "../domain/players/visibility.ts";
import type { ReadCall } from "../lambda/call.ts";
import { isPlayerRef } from "../store/accounts/playerRefs.ts";
import { visibleEntries } from "../store/hunts/hiddenOriginals.ts";
import { parseInteraction } from "../store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../store/lists.ts";
import { findPlayerByAliasOrRef } from "./currentState.ts";
import { showInteractions } from "./lookups.ts";

/** The interactions that a player asks for. People are `me`, an alias or a reference. */
interface Filters {
  kind?: Kind | undefined;
  after?: string | undefined;
  player?: string | undefined;
  target?: string | undefined;
  actor?: string | undefined;
}

/** The id of the player in a query, which is `me`, an alias or a reference. @throws DomainError `player_not_found` */
const idOf = async ({ player, services: { store } }: ReadCall, name: string | undefined) => {
  if (name === undefined) return undefined;
  if (name === "me") return player.player_id;
  const found = await store.playerByAlias(name);
  if (found !== null) return found.player_id;
  if (!isPlayerRef(name)) throw playerNotFound();
  return (await findPlayerByAliasOrRef(store, { player_ref: name })).player_id;
};

const FOR_ADMINISTRATORS = new DomainError(
  "not_administrator",
  "Only game masters may use target and actor.",
);

/** The filters with the ids of their players. @throws DomainError `not_administrator`, `player_not_found` */
export const readFilters = async (call: ReadCall, { kind, after, ...people }: Filters): Promise<Filters> => {
  if ((people.target !== undefined || people.actor !== undefined) && !call.player.is_admin)
    throw FOR_ADMINISTRATORS;
  const [player, target, actor] = await Promise.all(
    [people.player, people.target, people.actor].map((name) => idOf(call, name)),
  );
  return { kind, after, player, target, actor };
};

/** A page of interactions before a position. @param filters as {@link readFilters} gives them */
export const listInteractions = async (
  { game, now, player: viewer, services: { store } }: ReadCall,
  { kind, after, player, target, actor }: Filters,
  limit: number,
  before: string | undefined,
) => {
  const isWanted = (one: Interaction): boolean =>
    (kind === undefined || one.kind === kind) &&
    (player === undefined || concerns(one, player)) &&
    (target === undefined || one.target === target) &&
    (actor === undefined || one.actor === actor);
  const isFiltered = [kind, player, target, actor].some((filter) => filter !== undefined);
  const entries = store.interactionEntries(game, expectedEntries(limit, isFiltered), { before, after });
  const page = await readPage(
    visibleEntries(entries, viewer, game, now),
    limit,
    (item) => {
      const shown = shownInteraction(parseInteraction(item), viewer, game, now);
      return shown !== null && isWanted(shown) ? shown : null;
    },
    isFiltered ? MAX_LOOKED_THROUGH : undefined,
  );
  return { interactions: await showInteractions(store, page.items, viewer), next: page.next };
};
