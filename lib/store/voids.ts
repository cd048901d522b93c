/** The mark of a voided hunt. The ancestry tree shows it, and a second void is rejected by it. */
import type { Interaction } from "../domain/interaction.ts";
import type { Put, StoredItem } from "../dynamodb/database.ts";
import { parseInteraction } from "./items.ts";
import { infectionOrder } from "./keys.ts";

/**
 * The write that marks a hunt as voided, on condition that it is not marked yet.
 * @param item the stored hunt
 */
export const markVoided = (item: StoredItem, { interaction_id: by }: Interaction): Put => {
  const { pk, sk } = item;
  const { waiting_since } = parseInteraction(item);
  const order = infectionOrder(sk, true);
  return {
    put: {
      ...item,
      pk,
      sk,
      voided_by: by,
      gsi1sk: order,
      // Only infections with a parent are in this index.
      ...("gsi2sk" in item ? { gsi2sk: order } : {}),
    },
    // Interactions change only by this mark, and by getting a hunter: otherwise this one is as it was read.
    expect: { is: { gsi1sk: infectionOrder(sk, false), waiting_since } },
  };
};
