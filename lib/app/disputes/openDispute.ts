/** Opens a dispute of a hunt, or adds the other side's statement to it (decision 57). */
import { dispute, requireDisputable } from "../../domain/disputes/dispute.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { disputeMark, disputeWrite, entryWrites, readDispute } from "../../store/hunts/disputes.ts";
import { withNotes } from "../../store/hunts/huntNotes.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { interactionShard } from "../../store/keys.ts";
import { loadAliases, playersIn } from "../lookups.ts";
import { interactionView, maySeeHuntDetails } from "../shown.ts";

/**
 * Opens the dispute of a hunt, or adds the statement of the other side.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const openDispute = async (
  { context, game, player, services: { store } }: PlayerCall,
  { interaction_id, reason }: { interaction_id: string; reason: string },
) => {
  const [item, earlier] = await Promise.all([
    store.interactionItem(game, interaction_id),
    readDispute(store.db, interaction_id),
  ]);
  const found = parseIfFound(item, parseInteraction);
  const see = (one: Interaction) => shownInteraction(one, player, game, context.now);
  // Before anything else, so that an error tells no more than the interactions that the caller sees.
  requireDisputable(found && see(found));
  const hunt = requireDisputable(found);
  const shard = item === undefined ? 0 : interactionShard(item);
  const { dispute: after, entry } = dispute({ hunt, shard, earlier }, player.player_id, context);
  const { dispute_id, status, opened_at } = after;
  const disputed = { ...hunt, dispute: status };
  const [aliases, [shown = disputed]] = await Promise.all([
    loadAliases(store, playersIn([hunt])),
    withNotes(store.db, [disputed], (one) => maySeeHuntDetails(one, player)),
  ]);
  const marks = item === undefined ? [] : [disputeMark(item, after)];
  return {
    changes: { writes: [disputeWrite(after), ...marks, ...entryWrites(entry, reason, player.rev)] },
    result: {
      dispute_id,
      status,
      opened_at,
      interaction: interactionView(see(shown) ?? shown, aliases, player),
    },
    aliases,
  };
};
