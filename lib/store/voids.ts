/** Voids: the mark that a hunt gets when it is taken back, by which the tree and a second void know it. */
import type { Interaction } from "../domain/interaction.ts";
import type { Put, StoredItem } from "../dynamodb/database.ts";
import { infectionOrder } from "./keys.ts";

/**
 * The write that marks a hunt, on condition that nobody has marked it before.
 * @param item the hunt as it lies in the table
 */
export const markVoided = (item: StoredItem, { interaction_id: by }: Interaction): Put => {
  const { pk, sk } = item;
  const order = infectionOrder(sk, true);
  return {
    put: {
      ...item,
      pk,
      sk,
      voided_by: by,
      gsi1sk: order,
      // An infection without a parent is in no family.
      ...("gsi2sk" in item ? { gsi2sk: order } : {}),
    },
    // An interaction is written once and marked once: unmarked it is as it was read.
    expect: { is: { gsi1sk: infectionOrder(sk, false) } },
  };
};
