/** The history of the game, newest first, as a player may see it. */
import * as z from "zod/mini";
import { DomainError, playerNotFound } from "../domain/domainError.ts";
import { concerns, type Interaction, Kind } from "../domain/hunts/interaction.ts";
import { shownInteraction } from "../domain/players/visibility.ts";
import { makeCursor, readCursor } from "../http/cursors.ts";
import type { ReadCallOf as ReadCall } from "../http/definition.ts";
import { AliasRef, EventId, pagingFields } from "../http/fields.ts";
import { InteractionReturnType } from "../http/views.ts";
import { isPlayerRef } from "../store/accounts/playerRefs.ts";
import { visibleEntries } from "../store/hunts/hiddenOriginals.ts";
import { parseInteraction } from "../store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../store/lists.ts";
import { findPlayerByAliasOrRef } from "./currentState.ts";
import { showInteractions } from "./lookups.ts";

export const InteractionsQuery = z.strictObject({
  ...pagingFields(100, 200),
  kind: z.optional(Kind),
  after: z.optional(EventId),
  player: z.optional(AliasRef),
  target: z.optional(AliasRef),
  actor: z.optional(AliasRef),
});
type InteractionsQuery = z.infer<typeof InteractionsQuery>;

export const Interactions = z.object({
  interactions: z.array(InteractionReturnType),
  next_cursor: z.nullable(z.string()),
});

type InteractionsCall = ReadCall<"player", InteractionsQuery, z.infer<typeof Interactions>>;

/** The id of the player in a query, which is `me`, an alias or a reference. @throws DomainError `player_not_found` */
const idOf = async ({ player, services: { store } }: InteractionsCall, name: string | undefined) => {
  if (name === undefined) return undefined;
  if (name === "me") return player.player_id;
  const found = await store.playerByAlias(name);
  if (found !== null) return found.player_id;
  if (!isPlayerRef(name)) throw playerNotFound();
  return (await findPlayerByAliasOrRef(store, { player_ref: name })).player_id;
};

const FOR_MASTERS = new DomainError("not_administrator", "Only game masters may use target and actor.");

/** A page of interactions. @throws DomainError `not_administrator`, `player_not_found`, `invalid_request` */
export const listInteractions = async (call: InteractionsCall): Promise<z.infer<typeof Interactions>> => {
  const { game, now, player: viewer, query, services } = call;
  const { limit, cursor, kind, after, ...people } = query;
  if ((people.target !== undefined || people.actor !== undefined) && !viewer.is_admin) throw FOR_MASTERS;
  const [player, target, actor] = await Promise.all(
    [people.player, people.target, people.actor].map((name) => idOf(call, name)),
  );
  const isWanted = (one: Interaction): boolean =>
    (kind === undefined || one.kind === kind) &&
    (player === undefined || concerns(one, player)) &&
    (target === undefined || one.target === target) &&
    (actor === undefined || one.actor === actor);
  const isFiltered = [kind, player, target, actor].some((filter) => filter !== undefined);
  const place = { list: "interactions", filters: { kind, after, player, target, actor } };
  const before = await readCursor(services, place, cursor);
  const expected = expectedEntries(limit, isFiltered);
  const entries = services.store.interactionEntries(game, expected, { before, after });
  const page = await readPage(
    visibleEntries(entries, viewer, game, now),
    limit,
    (item) => {
      const shown = shownInteraction(parseInteraction(item), viewer, game, now);
      return shown !== null && isWanted(shown) ? shown : null;
    },
    isFiltered ? MAX_LOOKED_THROUGH : undefined,
  );
  return {
    interactions: await showInteractions(services.store, page.items, viewer),
    next_cursor: await makeCursor(services, place, page.next),
  };
};
