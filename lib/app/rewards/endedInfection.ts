/** The infection that an antidote has ended. Meanwhile it may have been voided, or have got its hunter. */
import type { Game } from "../../domain/game/game.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { Reward } from "../../domain/rewards/reward.ts";
import type { Write } from "../../dynamodb/database.ts";
import { interactionAsRead } from "../../store/hunts/voids.ts";
import { parseInteraction } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

/** @returns the infection, and the condition that it is unchanged; `null` if the reward was no antidote */
export const readEndedInfection = async (
  store: Store,
  game: Game,
  reward: Reward | undefined,
): Promise<{ infection: Interaction | null; conditions: Write[] }> => {
  const id = reward?.before?.infection_id;
  const item = id === undefined ? undefined : await store.interactionItem(game, id);
  if (item === undefined) return { infection: null, conditions: [] };
  const { pk, sk } = item;
  return {
    infection: parseInteraction(item),
    conditions: [{ check: { pk, sk }, expect: interactionAsRead(item) }],
  };
};
