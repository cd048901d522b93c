/**
 * Game events in the table's stream, which contains every committed change. The filter of `announce` in
 * functions/notifications/functions.yml selects the items that this file reads by their partition keys (decision 74).
 */
import {
  checkpointEvents,
  disputeEvents,
  type Recipient,
  recipientsOf,
  roleEvents,
} from "../../domain/events/eventRecipients.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { instantOf } from "../../domain/time.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { itemOfImage } from "../../dynamodb/streamImage.ts";
import { parseInteraction } from "../items.ts";
import { interactionsList, keys } from "../keys.ts";
import { Announcement, HuntAnnouncement } from "./announcements.ts";

/** The events that a new or changed item records. */
export interface RecordedEvents {
  events: Recipient[];
  /** The interaction that was recorded or got its hunter, if the events are about one. */
  interaction?: Interaction;
  /** Set if test messages must be sent to the webhooks. */
  testsWebhooks?: true;
  /**
   * When they were recorded, in milliseconds since 1970. They may have happened earlier: a hunt can be reported hours
   * later, and a starvation is dated at its deadline.
   */
  recordedAt: number;
}

/** Returns the events of an item; `null` if its change records none. @throws Error if the item is invalid */
type Reader = (item: StoredItem, isNew: boolean) => RecordedEvents | null;

const readInteraction: Reader = (item, isNew) => {
  if (!isNew && item.announces === undefined) return null;
  const interaction = parseInteraction(item);
  const events = recipientsOf(interaction);
  if (isNew) return { events, interaction, recordedAt: instantOf(interaction.recorded_at) };
  const announced = HuntAnnouncement.parse(item.announces);
  const recordedAt = instantOf(announced.at);
  return announced.cause === "hunter_known"
    ? { events, interaction, recordedAt }
    : { events: disputeEvents(interaction, announced.actor, announced.at), recordedAt };
};

const readAnnouncement: Reader = (item, isNew) => {
  if (!isNew) return null;
  const announced = Announcement.parse(item);
  const { actor, at } = announced;
  const recordedAt = instantOf(at);
  if (announced.cause === "give_role")
    return { events: roleEvents(item.pk, announced.target, at), recordedAt };
  return announced.cause === "set_checkpoint"
    ? { events: checkpointEvents(announced.checkpoint_id, actor, at), recordedAt }
    : { events: [], testsWebhooks: true, recordedAt };
};

/** The readers of the items that are announced, by the beginnings of their partition keys. */
const READERS: readonly (readonly [prefix: string, read: Reader])[] = [
  [interactionsList(0).slice(0, -1), readInteraction],
  [keys.event("").pk, readAnnouncement],
];

/**
 * The events of a new or changed item, from its image.
 * @param isNew whether the item was inserted, not changed
 * @returns `null` if the item or its change records no events
 * @throws Error if the item is invalid
 */
export const gameEventsOf = (image: unknown, isNew: boolean): RecordedEvents | null => {
  const item = itemOfImage(image);
  const [, read] = READERS.find(([prefix]) => item.pk.startsWith(prefix)) ?? [];
  return read?.(item, isNew) ?? null;
};
