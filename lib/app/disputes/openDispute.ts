/** Opens a dispute of a hunt, or adds the other side's statement to it (decision 57). */
import * as z from "zod/mini";
import { DisputeStatus, dispute, requireDisputable } from "../../domain/disputes/dispute.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { EventId } from "../../http/fields.ts";
import { text } from "../../http/textFields.ts";
import { InteractionReturnType, Timestamp } from "../../http/views.ts";
import { disputeMark, disputeWrite, entryWrites, readDispute } from "../../store/hunts/disputes.ts";
import { withNotes } from "../../store/hunts/huntNotes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { interactionShard } from "../../store/keys.ts";
import { reloadOnRetry } from "../currentState.ts";
import { loadAliases, playersIn } from "../lookups.ts";
import { interactionView, maySeeHuntDetails } from "../shown.ts";

/** A statement of a side, or a comment. */
export const StatementText = z.lazy(() => text(1, 1_000, "text"));

export const DisputeRequest = z.strictObject({ interaction_id: EventId, reason: StatementText });

export const DisputeResponse = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  opened_at: Timestamp,
  interaction: InteractionReturnType,
});

/**
 * Opens the dispute of a hunt, or adds the statement of the other side.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const openDispute = (
  call: Call<"player", z.infer<typeof DisputeRequest>, unknown, z.infer<typeof DisputeResponse>>,
): Promise<CommandResponse> => {
  const { body, context, services } = call;
  const { interaction_id, reason } = body;
  const { store } = services;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ player }, item, earlier] = await Promise.all([
      reload(),
      store.interactionItem(call.game, interaction_id),
      readDispute(store.db, interaction_id),
    ]);
    const found = parseIfFound(item, parseInteraction);
    const see = (one: Interaction) => shownInteraction(one, player, call.game, context.now);
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
    return {
      changes: {
        writes: [
          disputeWrite(after),
          ...(item === undefined ? [] : [disputeMark(item, after)]),
          ...entryWrites(entry, reason, player.rev),
        ],
      },
      result: {
        dispute_id,
        status,
        opened_at,
        interaction: interactionView(see(shown) ?? shown, aliases, player),
      },
      aliases,
    };
  });
};
