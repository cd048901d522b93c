/**
 * Game events in the table's stream, which contains every committed change. The `filterPatterns` of `announce` in
 * functions/notifications/functions.yml select the items that this file reads: change both together.
 */
import * as z from "zod/mini";
import { checkpointEvents, disputeEvents, type Recipient, recipientsOf } from "../domain/gameEvents.ts";
import type { Interaction } from "../domain/interaction.ts";
import { instantOf } from "../domain/time.ts";
import { itemOfImage } from "../dynamodb/streamImage.ts";
import { parseDispute } from "./disputes.ts";
import { type LogEntry, parseInteraction, parseLogEntry } from "./items.ts";
import { interactionsList, keys, logsList } from "./keys.ts";

/** The details of a log entry of `set_checkpoint`. No interaction records a new checkpoint, so its event comes from here. */
const CheckpointDetails = z.object({
  checkpoint_id: z.nullable(z.string()),
  /** A correction of the current checkpoint is not announced. */
  corrected: z.optional(z.literal(true)),
});
export type CheckpointDetails = z.infer<typeof CheckpointDetails>;

/** Whether a log entry records that a game master requested a test of the webhooks. */
const asksForTest = ({ action, outcome, details }: LogEntry): boolean =>
  action === "settings" && outcome === "done" && details.test_webhooks === true;

const eventsOfLog = ({ action, outcome, details, actor, at }: LogEntry): Recipient[] => {
  if (action !== "set_checkpoint" || outcome !== "done") return [];
  const { checkpoint_id: id, corrected } = CheckpointDetails.parse(details);
  return id === null || corrected ? [] : checkpointEvents(id, actor, at);
};

/** The events that a new or changed item records. */
export interface RecordedEvents {
  events: Recipient[];
  /** The interaction that records the events, if the item is one. */
  interaction?: Interaction;
  /** Set if test messages must be sent to the webhooks. */
  testsWebhooks?: true;
  /**
   * When they were recorded, in milliseconds since 1970. They may have happened earlier: a hunt can be reported hours
   * later, and a starvation is dated at its deadline.
   */
  recordedAt: number;
}

const isInList = (pk: string, list: string): boolean => pk.startsWith(list.slice(0, -1));

/**
 * The events of a new or changed item, from its image.
 * @param isNew whether the item was inserted, not changed
 * @returns `null` if the item or its change records no events; the `events` of a log entry may be empty
 * @throws Error if the item is invalid
 */
export const gameEventsOf = (image: unknown, isNew: boolean): RecordedEvents | null => {
  const item = itemOfImage(image);
  if (isInList(item.pk, interactionsList(0))) {
    const interaction = parseInteraction(item);
    const { recorded_at, completed_at, voided_by } = interaction;
    // An interaction changes when it gets its hunter, and when it is disputed or voided.
    const recordedAt = isNew ? recorded_at : voided_by === undefined ? completed_at : undefined;
    if (recordedAt === undefined) return null;
    return { events: recipientsOf(interaction), interaction, recordedAt: instantOf(recordedAt) };
  }
  if (item.sk === keys.dispute("").sk) {
    const dispute = parseDispute(item);
    const { resolved_at } = dispute;
    return resolved_at === null
      ? null
      : { events: disputeEvents(dispute), recordedAt: instantOf(resolved_at) };
  }
  if (!isNew) return null;
  if (isInList(item.pk, logsList(0))) {
    const entry = parseLogEntry(item);
    return {
      events: eventsOfLog(entry),
      ...(asksForTest(entry) ? { testsWebhooks: true } : {}),
      recordedAt: instantOf(entry.at),
    };
  }
  return null;
};
