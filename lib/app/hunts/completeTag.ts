/** Adds the hunter to an infection that has none (decisions 47, 91 and 98). */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { type HuntOutcome, mayGetHunter } from "../../domain/hunts/tag.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { completionWrites } from "../../store/hunts/tagCodes.ts";
import { curedAsRead, interactionAsRead } from "../../store/hunts/voids.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

/**
 * Requires that the hunter's infection did not follow from the prey's, so that the tree has no cycle. Times cannot show
 * this, because each side reports its own; the record does. A cycle that is stored already ends the check too.
 * @returns the condition that this is still so when the changes are written: the first infection of the hunter's line
 *   may get a hunter too
 * @throws DomainError `too_early`
 */
const requireNoCycle = async (
  store: Store,
  game: Game,
  { interaction_id, parent }: Interaction,
): Promise<Write[]> => {
  const line = new Set([interaction_id]);
  for (let id = parent ?? null; id !== null; ) {
    if (line.has(id))
      throw new DomainError(
        "too_early",
        "The hunter was not a zombie yet: their infection followed from this tag, or from itself.",
      );
    line.add(id);
    const item = await store.interactionItem(game, id);
    const infection = parseIfFound(item, parseInteraction);
    if (item !== undefined && infection !== null && mayGetHunter(infection))
      return [{ check: { pk: item.pk, sk: item.sk }, expect: interactionAsRead(item) }];
    id = infection?.parent ?? null;
  }
  return [];
};

/**
 * The writes of an infection that gets its hunter, on condition that it still has none.
 * @param item the stored infection
 * @throws DomainError `too_early` if the hunter's own infection followed from it
 */
export const completeTag = async (
  store: Store,
  game: Game,
  item: StoredItem,
  { interaction: completed, prey }: Pick<HuntOutcome, "interaction" | "prey">,
): Promise<Write[]> => [
  ...completionWrites(item, completed),
  ...curedAsRead(prey),
  ...(await requireNoCycle(store, game, completed)),
];
