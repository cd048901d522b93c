/** Turns game events into messages of the queue. */
import type { Recipient } from "../../domain/gameEvents.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { chunk } from "../../runtime/chunk.ts";

/** So many players are told of what befell them by one message of the queue. */
const PER_MESSAGE = 25;

/** The messages that tell of these: one for each broadcast, and one for many players. */
export const queueMessagesFor = (concerns: readonly Recipient[], now: number): QueueMessage[] => {
  const broadcasts = concerns.filter(({ to }) => to === null);
  const announcements = concerns.flatMap(({ event, to }) =>
    to === null ? [] : [{ event, to, tries: 0, round: 0 }],
  );
  return [
    ...broadcasts.map(({ event }): QueueMessage => ({ kind: "spread", subject: { event }, plan: 0 })),
    ...chunk(announcements, PER_MESSAGE).map(
      (batch): QueueMessage => ({ kind: "announce", announcements: batch, notBefore: now }),
    ),
  ];
};
