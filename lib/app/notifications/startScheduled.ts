/** Starts the scheduled notifications whose time has come, and announces what is due of missions. */
import { sendTime } from "../../domain/notifications/push.ts";
import { instantOf, MINUTE } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { toAllWrite } from "../../store/mail/mails.ts";
import { isMission, parseMission } from "../../store/missions/missions.ts";
import { claimWrite, dueItems, parseRecord, startedWrite } from "../../store/notifications/notifications.ts";
import { WORKER_RESERVE_MS } from "./messageTiming.ts";
import { newsMessages } from "./queueWebhooks.ts";

/** A claim expires after this time, in case its sweep has died before it queued the notification. */
const CLAIM_MS = 2 * MINUTE;

/** Commits writes. @returns `false` if another process has changed one of their items */
const commitIfUnchanged = async (
  { services, timeLeft }: WorkerContext,
  ...writes: Write[]
): Promise<boolean> => {
  try {
    await services.store.commit(writes, timeLeft);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/**
 * Announces what is due of missions, and queues the delivery of every scheduled notification that is due. Only the sweep that
 * claims a notification queues it. If that sweep dies, a later one queues it; the stored plan of the broadcast prevents a
 * second delivery, and a webhook gets its news twice under the same id.
 */
export const startScheduled = async (run: WorkerContext, now: number): Promise<void> => {
  const { services } = run;
  const { store, queue } = services;
  let announced = false;
  for await (const item of dueItems(store, now)) {
    if (run.timeLeft() < WORKER_RESERVE_MS) return;
    if (isMission(item)) {
      const { announceMission } = await import("../missions/announce.ts");
      announced = (await announceMission(run, parseMission(item), now)) || announced;
      continue;
    }
    const record = parseRecord(item);
    const { notification, shard, scheduling, claimed_at = 0 } = record;
    const isAbandoned = scheduling === "starting" && claimed_at < now - CLAIM_MS;
    if (scheduling !== "scheduled" && !isAbandoned) continue;
    if (!(await commitIfUnchanged(run, claimWrite(record, now)))) continue;
    const subject = { notification_id: notification.notification_id, shard };
    const news = record.news === undefined ? [] : await newsMessages(run, notification.notification_id);
    await queue.send(
      [{ kind: "plan_broadcast" as const, subject, plan: 0 }, ...news].map((message) => ({ message })),
    );
    const isMailed = notification.also_email === true && services.mail !== null;
    // If the service was stopped for too long, the mails are too late, as if they had waited.
    const due = instantOf(sendTime(notification));
    await commitIfUnchanged(
      run,
      startedWrite(record, now),
      ...(isMailed ? [toAllWrite(notification, due)] : []),
    );
  }
  // What a mission announces is scheduled for now.
  if (announced) await startScheduled(run, now);
};
