/** Marks on interactions that were voided. The ancestry tree shows them, and they prevent a second void. */
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { BeforeCheckpoint } from "../../domain/players/lifeRecords.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Expectation, Put, StoredItem, Write } from "../../dynamodb/database.ts";
import { parseInteraction } from "../items.ts";
import { infectionOrder, keys } from "../keys.ts";
import { shardOfId } from "../lists.ts";
import type { HuntAnnouncement } from "../notifications/announcements.ts";

/**
 * The condition that an interaction has not changed since it was read. It compares the only fields that can change: by a
 * void, by a dispute, and when the hunter becomes known, which makes a hunt of any infection.
 */
export const interactionAsRead = (item: StoredItem): Expectation => {
  const { interaction_id, kind, voided_by, waiting_since, dispute } = parseInteraction(item);
  const order = infectionOrder(interaction_id, voided_by !== undefined);
  return { is: { gsi1sk: order, kind, waiting_since, dispute } };
};

/**
 * The condition that the prey of a hunt is unchanged if an antidote has made them human: when it is taken back, they are a
 * zombie of that hunt again. A prey whom the hunt concerns is written.
 */
export const curedAsRead = (prey: Player | null | undefined): Write[] =>
  prey?.state === "human" && prey.antidote !== null
    ? [{ check: keys.player(prey.player_id), expect: { rev: prey.rev } }]
    : [];

/** The conditions that players of a hunt are still away: whoever has come back is one whom the void concerns. */
export const absentAsRead = (ids: readonly string[]): Write[] =>
  ids.map((id) => ({ check: keys.player(id), expect: "absent" }));

/**
 * The write of a changed hunt, on condition that it has not changed since it was read. It leaves out what an earlier
 * change has announced, so that each announcement is in the image of a single change.
 * @param before the hunt as read
 */
export const interactionRewrite = (
  before: StoredItem,
  { announces: _, ...after }: StoredItem,
  announces?: HuntAnnouncement,
): Put => ({
  put: announces === undefined ? after : { ...after, announces },
  expect: interactionAsRead(before),
});

/**
 * The write that marks a hunt as voided, and its dispute, if it has one, as resolved by the void; on condition that the
 * hunt has not changed.
 * @param item the stored hunt
 */
export const markVoided = (item: StoredItem, { interaction_id: by, reason }: Interaction): Put => {
  const { dispute } = parseInteraction(item);
  const order = infectionOrder(item.sk, true);
  return interactionRewrite(item, {
    ...item,
    voided_by: by,
    ...(dispute === undefined ? {} : { dispute: "void", dispute_note: reason }),
    gsi1sk: order,
    // Only infections with a parent are in this index.
    ...("gsi2sk" in item ? { gsi2sk: order } : {}),
  });
};

/** The write that marks a starvation as undone by what came late, or a reward as taken back. @param item as stored */
export const markUndoneBy = ({ pk, sk }: StoredItem, { interaction_id }: Interaction): Write => ({
  set: { pk, sk },
  to: { voided_by: interaction_id },
  by: { rev: 1 },
  // The comparison of the id requires that the item exists.
  expect: { is: { interaction_id: sk, voided_by: undefined } },
});

/** The write that marks the interaction by which a checkpoint killed or infected a player as voided. */
export const markUndone = (
  { interaction_id: id, shards, infection_id }: BeforeCheckpoint,
  { interaction_id: by }: Interaction,
): Write => ({
  set: keys.interaction(shardOfId(id, shards), id),
  to: { voided_by: by, ...(infection_id === id ? { gsi1sk: infectionOrder(id, true) } : {}) },
  by: { rev: 1 },
  // The comparison of the id requires that the item exists.
  expect: { is: { interaction_id: id, voided_by: undefined } },
});
