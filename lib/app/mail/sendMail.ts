/**
 * Sends one mail of the outbox. The queue delivers a message at least once, and a process can end at any time, so each
 * attempt is claimed in the mail's item first: a mail that is done or claimed by another process is left alone. Between
 * the server's acceptance of a message and the record of it, a process that ends leaves a mail that is sent again. Its
 * Message-ID is the same (docs/decisions/0132-mail.md).
 */
import {
  claimed,
  done,
  INTERRUPTED,
  isDone,
  isToAll,
  isTooLate,
  MAIL_KINDS,
  type Mail,
  NOT_IN_TIME,
  pauseAfter,
  type SendResult,
  WORKER_ENDED_MS,
  waiting,
} from "../../domain/mail/mail.ts";
import { afterAttempt, hasMissed, isStuck, rateOf, takeSlots, withProbe } from "../../domain/mail/pace.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { MailSettings } from "../../mail/settings.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { takeAllowance } from "../../store/accounts/rateLimits.ts";
import { changePace, mailChange, readMail, readPace, suppressionWrite } from "../../store/mail/mails.ts";
import { waitOrRequeue } from "../notifications/messageTiming.ts";
import { type ComposedMail, composeMail } from "./composeMail.ts";
import { senderOf } from "./senderOf.ts";

type MailMessage = Extract<QueueMessage, { kind: "mail" }>;

/** Sending is not begun with less time than this: an attempt may take twenty seconds, and its result must be recorded. */
const MIN_TIME_MS = 30 * SECOND;

/** Queues the mail for another slot of its lane. */
const requeue = async (
  { services: { store, queue, clock }, timeLeft }: WorkerContext,
  { perMinute }: MailSettings,
  mail: Mail,
  earliest: number,
): Promise<void> => {
  const now = clock();
  let notBefore = earliest;
  await changePace(
    store.db,
    (pace) => {
      const { lane } = MAIL_KINDS[mail.kind];
      const taken = takeSlots(pace, lane, { count: 1, now: Math.max(now, earliest), perMinute });
      notBefore = taken.slots[0] ?? earliest;
      // A retry far ahead must not hold up the mails that come before it.
      return earliest > now ? pace : taken.pace;
    },
    timeLeft,
  );
  const message = { kind: "mail", mail_id: mail.mail_id, notBefore } as const;
  await queue.send([{ message, delay: notBefore - now }]);
};

/** Writes the result of an attempt. @returns whether the mail waits for another one */
const record = async (
  { services: { store, clock }, timeLeft }: WorkerContext,
  mail: Mail,
  { message: { to }, player_id }: ComposedMail,
  { result, why }: SendResult,
): Promise<boolean> => {
  const now = clock();
  const at = rfc3339(now);
  const isTried = result === "retry" || result === "server";
  const after = isTried
    ? waiting(mail, why)
    : done({ ...mail, player_id }, result, at, why === "" ? undefined : why);
  const suppression: Write[] =
    result === "bounced" ? [suppressionWrite(to, { at, reason: why, player_id })] : [];
  await store.commit([mailChange(mail, after), ...suppression], timeLeft);
  return isTried;
};

const end = async (run: WorkerContext, mail: Mail, state: "dropped" | "failed", reason: string) => {
  const { services, timeLeft, requestId } = run;
  const after = done(mail, state, rfc3339(services.clock()), reason);
  await services.store.commit([mailChange(mail, after)], timeLeft);
  log.info("mail", { request_id: requestId, mail_id: mail.mail_id, kind: mail.kind, result: state, reason });
};

/** Changes a mail. @returns the mail as changed; `null` if another process was faster */
const change = async (
  { services: { store }, timeLeft }: WorkerContext,
  mail: Mail,
  after: Mail,
): Promise<Mail | null> => {
  try {
    await store.commit([mailChange(mail, after)], timeLeft);
    return { ...after, rev: mail.rev + 1 };
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
};

/**
 * Claims the one attempt that may be made while the server cannot be used.
 * @returns until when to wait, in milliseconds since 1970; `null` if the caller may send now
 */
const waitForServer = async (run: WorkerContext): Promise<number | null> => {
  const { services, timeLeft } = run;
  const { store, clock } = services;
  let waitUntil: number | null = null;
  const probe = (pace: Awaited<ReturnType<typeof readPace>>) => {
    const now = clock();
    waitUntil = pace.retry_at > now ? pace.retry_at : null;
    return waitUntil === null ? withProbe(pace, now) : pace;
  };
  await changePace(store.db, probe, timeLeft);
  return waitUntil;
};

/**
 * Makes one attempt to send a mail, if it is due, and schedules the next one if that is needed.
 * @throws Error on failure, so that the queue delivers the message again
 */
export const sendMail = async (run: WorkerContext, message: MailMessage): Promise<void> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock, mail: settings } = services;
  if (settings === null) return log.warn("mail is switched off", { request_id: requestId });
  if (!(await waitOrRequeue(run, message))) return;
  const read = await readMail(store.db, message.mail_id);
  if (read === null || isDone(read)) return;
  const now = clock();
  const isClaimed = read.state === "sending";
  if (isClaimed && read.lease_until > now) return requeue(run, settings, read, read.lease_until);
  // It may wait for its next slot for longer than it takes until a claimed mail is given up.
  const mail = isClaimed ? await change(run, read, waiting(read, INTERRUPTED)) : read;
  // Both may have the same message, so that one that ends here has deleted that of the process that sends.
  if (mail === null) return requeue(run, settings, read, now + WORKER_ENDED_MS);
  if (isTooLate(mail, now)) {
    await end(run, mail, "failed", mail.reason ?? NOT_IN_TIME);
    return recordMetrics({ MailFailed: 1 });
  }
  if (isToAll(mail)) {
    // Imported on demand: most mails are for one player.
    const { mailAnnouncement } = await import("./mailAnnouncement.ts");
    return mailAnnouncement(run, mail);
  }
  if (timeLeft() < MIN_TIME_MS) return requeue(run, settings, mail, now);
  const pace = await readPace(store.db);
  if (hasMissed(pace, message.notBefore, now)) return requeue(run, settings, mail, now);
  const limit = { limit: "MAILS", subject: "ALL", allowance: rateOf(settings.perMinute) } as const;
  if ((await takeAllowance(store.db, limit, 0, now)) > 0) return requeue(run, settings, mail, now);
  const waitUntil = pace.failures === 0 ? null : await waitForServer(run);
  if (waitUntil !== null) return requeue(run, settings, mail, waitUntil);
  const mine = await change(run, mail, claimed(mail, clock()));
  if (mine === null) return requeue(run, settings, mail, clock() + WORKER_ENDED_MS);
  const composed = await composeMail(run, settings, mine);
  if ("dropped" in composed) return end(run, mine, "dropped", composed.dropped);
  const sender = await senderOf(settings);
  const result = await sender.send(composed.message);
  const isWaiting = await record(run, mine, composed, result);
  const { kind, mail_id, tries } = mine;
  log.info("mail", { request_id: requestId, mail_id, kind, tries, result: result.result, why: result.why });
  const paceAfter =
    result.result === "sent" && pace.failing_since === 0
      ? pace
      : await changePace(store.db, (before) => afterAttempt(before, pace, result.result, clock()), timeLeft);
  await recordMetrics({
    MailSent: Number(result.result === "sent"),
    MailRetried: Number(isWaiting),
    MailFailed: Number(result.result === "failed"),
    MailStuck: Number(isWaiting && isStuck(paceAfter, clock())),
    ...(isWaiting ? {} : { MailRefused: result.result === "sent" ? 0 : 100 }),
  });
  if (isWaiting)
    await requeue(run, settings, mine, Math.max(paceAfter.retry_at, clock() + pauseAfter(tries)));
};
