/** Creates an alert when one zombie tags many newcomers from one address (decision 64). */
import { v7 } from "uuid";
import { alertEvents } from "../../domain/events/eventRecipients.ts";
import { addNewcomerTag } from "../../domain/notifications/alerts.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { NewcomerTags } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import { newcomerTagsWrites, readNewcomerTags, readOrigin } from "../../store/notifications/alerts.ts";
import { queueMessagesFor } from "../notifications/queueMessages.ts";

/** Stores a tag with those of its hunter. @throws Error on failure, so that the queue delivers the message again */
const checkTag = async (run: WorkerContext, tag: NewcomerTags["tags"][number]): Promise<void> => {
  const { services, timeLeft, requestId } = run;
  const { store, clock, queue } = services;
  const { hunter, ...own } = tag;
  const now = clock();
  const hash = await readOrigin(store.db, tag.target, now);
  if (hash === null) return;
  const before = await readNewcomerTags(store.db, hash, hunter);
  const after = addNewcomerTag(before, own, v7);
  if (after === null) return;
  try {
    await store.commit(newcomerTagsWrites(before, after, { hash, hunter, at: tag.at, now }), timeLeft);
  } catch (error) {
    // Another worker has added a tag.
    if (error instanceof ConditionFailed) return checkTag(run, tag);
    throw error;
  }
  if (!after.isNew || after.alert === null) return;
  const { alert_id } = after.alert;
  log.warn("alert: newcomers from one address tagged by one zombie", { request_id: requestId, alert_id });
  const { ids } = await store.administrators({ consistent: false });
  const messages = queueMessagesFor(alertEvents(alert_id, hunter, tag.at, ids), now);
  if (services.push.vapid !== null) await queue.send(messages.map((message) => ({ message })));
};

/** Checks tags of possible newcomers, one after the other. */
export const checkNewcomerTags = async (run: WorkerContext, { tags }: NewcomerTags): Promise<void> => {
  for (const tag of tags) await checkTag(run, tag);
};
