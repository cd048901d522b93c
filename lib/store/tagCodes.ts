/** Writes of tags whose hunter reports them last: they use what is stored with the code (decisions 47 and 48). */
import type { Interaction } from "../domain/interaction.ts";
import type { Human, Player } from "../domain/player.ts";
import { rfc3339 } from "../domain/time.ts";
import type { StoredItem, Write } from "../dynamodb/database.ts";
import { splitNotes } from "./huntNotes.ts";
import { interactionItem, type TagCodeRecord } from "./items.ts";
import { interactionShard, keys } from "./keys.ts";
import { interactionAsRead } from "./voids.ts";

// Without a condition: the code belongs to the player as long as their item is unchanged, which is a condition.
const codeWrite = (code: string, to: TagCodeRecord): Write => ({ set: keys.code(code), to, by: { rev: 1 } });

/** Stores with the code of a human that they reported a tag. Their item must be written in the same transaction. */
export const reportedTagWrites = (player: Player, { interaction_id }: Interaction): Write[] => {
  const { player_id, tag_code, code_since } = player;
  if (tag_code === null || code_since === null) return [];
  return [codeWrite(tag_code, { player_id, code_since, infection_id: interaction_id })];
};

/** Stores with a human's code that it was replaced. Their item must be written in the same transaction. */
export const replacedCodeWrite = ({ player_id, tag_code }: Human, now: number): Write =>
  codeWrite(tag_code, { player_id, replaced_at: rfc3339(now) });

/** Stores with the code of a human that they leave. Their item must be removed in the same transaction. */
export const departureWrites = ({ player_id, state, tag_code, code_since }: Player, now: number): Write[] =>
  state === "human" && tag_code !== null && code_since !== null
    ? [codeWrite(tag_code, { player_id, code_since, left_at: rfc3339(now) })]
    : [];

/** Gives the code of a human who has left to the player whom they come back as, on condition that no hunt has used it. */
export const returnedCodeWrite = (code: string, { left_at }: TagCodeRecord, player_id: string): Write => ({
  set: keys.code(code),
  to: { player_id, left_at: undefined, code_since: undefined },
  by: { rev: 1 },
  expect: { is: { left_at, hunt_id: undefined } },
});

/** Marks the code of a player who has left as used, on condition that it is not. */
export const usedCodeWrite = (
  code: string,
  { left_at }: TagCodeRecord,
  { interaction_id }: Interaction,
): Write => ({
  set: keys.code(code),
  to: { hunt_id: interaction_id },
  by: { rev: 1 },
  expect: { is: { left_at, hunt_id: undefined } },
});

/**
 * Writes an infection that has got its hunter, on condition that it still waits for one.
 * @param item as it was read
 */
export const completionWrites = (item: StoredItem, completed: Interaction): Write[] => {
  const { interaction, annotation } = splitNotes(completed);
  return [
    { put: interactionItem(interaction, interactionShard(item)), expect: interactionAsRead(item) },
    ...(annotation === null ? [] : [{ put: annotation }]),
  ];
};
