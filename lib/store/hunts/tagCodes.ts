/** Writes of the data of tag codes, and of infections that get their hunter later (decisions 47 and 48). */
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { Human, Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { interactionItem, type TagCodeRecord } from "../items.ts";
import { interactionShard, keys } from "../keys.ts";
import { splitNotes } from "./huntNotes.ts";
import { interactionRewrite } from "./voids.ts";

// Without a condition of its own: the same transaction writes the player's item on condition that it is unchanged.
const codeWrite = (code: string, to: TagCodeRecord): Write => ({ set: keys.code(code), to, by: { rev: 1 } });

/** Records with the player's code that its owner reported a tag. Write the player in the same transaction. */
export const reportedTagWrites = (player: Player, { interaction_id }: Interaction): Write[] => {
  const { player_id, tag_code, code_since } = player;
  if (tag_code === null || code_since === null) return [];
  return [codeWrite(tag_code, { player_id, code_since, infection_id: interaction_id })];
};

/** Records with the player's code that it was replaced. Write the player in the same transaction. */
export const replacedCodeWrite = ({ player_id, tag_code }: Human, now: number): Write =>
  codeWrite(tag_code, { player_id, replaced_at: rfc3339(now) });

/** Records with a human's code that its owner leaves. Remove the player in the same transaction. */
export const departureWrites = ({ player_id, state, tag_code, code_since }: Player, now: number): Write[] =>
  state === "human" && tag_code !== null && code_since !== null
    ? [codeWrite(tag_code, { player_id, code_since, left_at: rfc3339(now) })]
    : [];

/** Gives a player who comes back the earlier code, on condition that no hunt has used it. */
export const returnedCodeWrite = (code: string, { left_at }: TagCodeRecord, player_id: string): Write => ({
  set: keys.code(code),
  to: { player_id, left_at: undefined, code_since: undefined },
  by: { rev: 1 },
  expect: { is: { left_at, hunt_id: undefined } },
});

/** Marks the code of a player who has left as used, on condition that it was not used before. */
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
 * Writes and announces an infection that has got its hunter, on condition that it still has none.
 * @param item the stored interaction
 */
export const completionWrites = (item: StoredItem, completed: Interaction): Write[] => {
  const { interaction, noteItem } = splitNotes(completed);
  const { recorded_at, completed_at: at = recorded_at } = completed;
  const after = interactionItem(interaction, interactionShard(item));
  return [
    interactionRewrite(item, after, { cause: "hunter_known", at }),
    ...(noteItem === null ? [] : [{ put: noteItem }]),
  ];
};
