/** Queues mails that were put into the outbox, as the table's stream delivers them. */
import type { DynamoDBRecord } from "aws-lambda";
import { isToAll, MAIL_KINDS, type Mail } from "../../domain/mail/mail.ts";
import { takeSlots } from "../../domain/mail/pace.ts";
import { itemOfImage } from "../../dynamodb/streamImage.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { log } from "../../runtime/log.ts";
import { changePace, queuedMailOf } from "../../store/mail/mails.ts";

/** The mails that records have put into the outbox. An invalid record would block the stream, so it is skipped. */
const newMails = (records: readonly DynamoDBRecord[], request_id: string): Mail[] =>
  records.flatMap(({ eventName, dynamodb }) => {
    if (eventName !== "INSERT" || dynamodb?.NewImage === undefined) return [];
    try {
      return queuedMailOf(itemOfImage(dynamodb.NewImage)) ?? [];
    } catch (error) {
      log.error("a mail in the stream cannot be read", { request_id, error });
      return [];
    }
  });

/** Queues each new mail for a slot of its lane. @throws Error if the queue is unavailable */
export const queueMails = async (
  { services, requestId, timeLeft }: WorkerContext,
  records: readonly DynamoDBRecord[],
): Promise<void> => {
  const { store, queue, clock, mail: settings } = services;
  if (settings === null) return;
  const { perMinute } = settings;
  const all = newMails(records, requestId);
  // An announcement to all is no message itself, so it waits for nothing.
  await queue.send(
    all.filter(isToAll).map(({ mail_id }) => ({ message: { kind: "mail", mail_id, notBefore: clock() } })),
  );
  const mails = all.filter((mail) => !isToAll(mail));
  for (const lane of ["now", "bulk"] as const) {
    const waiting = mails.filter(({ kind }) => MAIL_KINDS[kind].lane === lane);
    if (waiting.length === 0) continue;
    const now = clock();
    let slots: number[] = [];
    await changePace(
      store.db,
      (pace) => {
        const taken = takeSlots(pace, lane, { count: waiting.length, now, perMinute });
        slots = taken.slots;
        return taken.pace;
      },
      timeLeft,
    );
    await queue.send(
      waiting.map(({ mail_id }, index) => {
        const notBefore = slots[index] ?? now;
        return { message: { kind: "mail", mail_id, notBefore }, delay: notBefore - now };
      }),
    );
  }
};
