/** Turns game events into queue messages. */
import type { Recipient } from "../../domain/events/eventRecipients.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { chunk } from "../../runtime/chunk.ts";

export const MAX_ANNOUNCEMENTS_PER_MESSAGE = 25;

/** One message for each event that concerns all players, and one for every 25 events that concern single players. */
export const queueMessagesFor = (recipients: readonly Recipient[], now: number): QueueMessage[] => {
  const broadcasts = recipients.filter(({ to }) => to === null);
  const announcements = recipients.flatMap(({ event, to }) =>
    to === null ? [] : [{ event, to, tries: 0, round: 0 }],
  );
  return [
    ...broadcasts.map(({ event }): QueueMessage => ({ kind: "plan_broadcast", subject: { event }, plan: 0 })),
    ...chunk(announcements, MAX_ANNOUNCEMENTS_PER_MESSAGE).map(
      (batch): QueueMessage => ({ kind: "announce", announcements: batch, notBefore: now }),
    ),
  ];
};
