/** Queues messages to the game's webhooks: for the interactions in the table's stream, and for news. */
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { chunk } from "../../runtime/chunk.ts";
import type { RecordedEvents } from "../../store/notifications/stream.ts";
import { readWebhooks } from "../../store/notifications/webhooks.ts";

const MAX_INTERACTIONS_PER_MESSAGE = 10;

/**
 * One message to each webhook for every ten interactions, and one for each test. Without webhooks, this costs one read.
 */
export const webhookMessages = async (
  { services: { store, clock, newId } }: WorkerContext,
  recorded: readonly RecordedEvents[],
): Promise<QueueMessage[]> => {
  const interactions = recorded.flatMap(({ interaction }) =>
    interaction === undefined ? [] : [interaction.interaction_id],
  );
  const isTested = recorded.some(({ testsWebhooks }) => testsWebhooks);
  if (interactions.length === 0 && !isTested) return [];
  const now = clock();
  const { webhooks } = await readWebhooks(store.db);
  const batches = [...chunk(interactions, MAX_INTERACTIONS_PER_MESSAGE), ...(isTested ? [[]] : [])];
  return webhooks.flatMap(({ webhook_id, disabled_at }) =>
    batches
      .filter((batch) => disabled_at === null || batch.length === 0)
      .map((batch) => ({
        kind: "webhook",
        webhook_id,
        delivery_id: newId(),
        interactions: batch,
        since: now,
        notBefore: now,
      })),
  );
};

/** A message to each webhook about the news of a notification. A receiver tells a repeated one by its id. */
export const newsMessages = async (
  { services: { store, clock } }: WorkerContext,
  notificationId: string,
): Promise<QueueMessage[]> => {
  const now = clock();
  const { webhooks } = await readWebhooks(store.db);
  return webhooks
    .filter(({ disabled_at }) => disabled_at === null)
    .map(({ webhook_id }) => ({
      ...{ kind: "webhook", webhook_id, delivery_id: notificationId, since: now, notBefore: now },
      ...{ interactions: [notificationId], news: notificationId },
    }));
};
