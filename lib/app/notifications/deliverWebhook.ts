/** Makes one attempt to deliver a message to a webhook, and schedules a retry if it is needed. */
import { createHmac } from "node:crypto";
import { resultOf } from "../../domain/game/finish.ts";
import type { Game } from "../../domain/game/game.ts";
import { discordNews, discordText, escapeMarkdown } from "../../domain/notifications/discord.ts";
import { isStillTrue, type News } from "../../domain/notifications/news.ts";
import { afterAttempt, getsEvent, type Webhook } from "../../domain/notifications/webhook.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import { DAY, rfc3339, SECOND } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { readMission } from "../../store/missions/missions.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";
import { changeWebhook, readWebhooks } from "../../store/notifications/webhooks.ts";
import { NOBODY, showInteractions } from "../lookups.ts";
import { publicMission } from "../missions/missionView.ts";
import { WORKER_RESERVE_MS, waitOrRequeue } from "./messageTiming.ts";

type WebhookMessage = Extract<QueueMessage, { kind: "webhook" }>;

/** Older messages are dropped. */
const MAX_AGE_MS = DAY;

/** A claim expires after this time, in case its process has died. */
const CLAIM_MS = 15 * SECOND;

/** Discord's message flag that turns off link previews. */
const SUPPRESS_EMBEDS = 4;

/** What a message says: as a text, and as the type and the data of signed JSON. */
interface Contents {
  text: string;
  type: string;
  data: object;
}

const testContents = ({ settings: { name } }: Game): Contents => ({
  ...{ text: `This is a test message from ${escapeMarkdown(name)}.`, type: "test", data: {} },
});

/** The interactions that everybody may see, of the kinds that the webhook subscribes to; `null` if there are none. */
const interactionContents = async (
  { services: { store, clock } }: WorkerContext,
  game: Game,
  webhook: Webhook,
  ids: readonly string[],
): Promise<Contents | null> => {
  const stored = await Promise.all(ids.map((id) => store.interaction(game, id)));
  const visible = stored
    .map((interaction) => interaction && shownInteraction(interaction, null, game, clock()))
    .filter((interaction) => interaction !== null)
    .filter(({ kind }) => getsEvent(webhook, kind));
  if (visible.length === 0) return null;
  const interactions = await showInteractions(store, visible, NOBODY);
  return { text: discordText(interactions), type: "interactions", data: { interactions } };
};

/** What signed JSON has of news; `null` if they are not true any more, or not public. */
const newsData = async (
  { services: { store, clock } }: WorkerContext,
  game: Game,
  { what, mission_id }: News,
): Promise<object | null> => {
  const now = clock();
  if (what === "season_result") {
    const { result, result_note } = resultOf(game, now);
    return result === null ? null : { result, result_note };
  }
  const mission = await readMission(store.db, mission_id ?? "");
  const shown = mission !== null && isStillTrue(what, mission, now) && publicMission(mission, game, now);
  return shown ? { mission: shown } : null;
};

/** The news of a notification to everybody, if the webhook subscribes to them; `null` if there is nothing to send. */
const newsContents = async (
  run: WorkerContext,
  game: Game,
  webhook: Webhook,
  notificationId: string,
): Promise<Contents | null> => {
  const record = await notificationRecord(run.services.store, game, notificationId);
  if (record?.news === undefined || !getsEvent(webhook, record.news.what)) return null;
  const data = await newsData(run, game, record.news);
  return data && { text: discordNews(record.notification), type: record.news.what, data };
};

const discordBody = ({ text }: Contents): unknown => ({
  content: text,
  // Notifies nobody, even if the text contains mentions.
  allowed_mentions: { parse: [] },
  flags: SUPPRESS_EMBEDS,
});

const standardWebhooksBody = (
  { settings: { name } }: Game,
  { type, data }: Contents,
  now: number,
): unknown => ({ type, timestamp: rfc3339(now), data: { name, ...data } });

/** The headers of Standard Webhooks, with which the receiver verifies the sender and the time. */
const signatureHeaders = (id: string, secret: string, body: string, now: number): Record<string, string> => {
  const timestamp = String(Math.floor(now / SECOND));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
};

/** The body and headers of a message. */
const renderMessage = (
  { format, secret }: Webhook,
  id: string,
  game: Game,
  contents: Contents,
  now: number,
): { headers: Record<string, string>; body: Buffer } => {
  const body = JSON.stringify(
    format === "discord" ? discordBody(contents) : standardWebhooksBody(game, contents, now),
  );
  const headers = {
    "content-type": "application/json",
    "user-agent": "hvz-webhook/1",
    ...(secret === null ? {} : signatureHeaders(id, secret, body, now)),
  };
  return { headers, body: Buffer.from(body) };
};

/** Logs that a webhook was switched off, so that game masters know why nothing is sent any more. */
const logDisabled = async (
  { services, requestId }: WorkerContext,
  game: Game,
  { webhook_id, url, failing_since, last_error }: Webhook,
): Promise<void> => {
  const details = { webhook_id, host: new URL(url).host, failing_since, last_error };
  const entry = newLogEntry(commandContext(services, services.clock()), requestId, {
    action: "webhook_off",
    details,
  });
  await services.store.log(game, entry);
};

/**
 * Claims the next attempt for a failing webhook, so that only one of its messages is sent at a time.
 * @returns the time until which to wait, in milliseconds since 1970; `null` if the caller may send now
 */
const claimAttempt = async (
  { services: { store, clock }, timeLeft }: WorkerContext,
  { webhook_id, failing_since, retry_at }: Webhook,
): Promise<number | null> => {
  const now = clock();
  const isFuture = (time: number | null): time is number => time !== null && time > now;
  if (isFuture(retry_at)) return retry_at;
  if (failing_since === null) return null;
  let waitUntil: number | null = null;
  // Checks the stored webhook again: another process may have claimed the attempt.
  const claim = (before: Webhook): Webhook => {
    waitUntil = isFuture(before.retry_at) ? before.retry_at : null;
    return waitUntil === null ? { ...before, retry_at: now + CLAIM_MS } : before;
  };
  await changeWebhook(store.db, webhook_id, claim, timeLeft);
  return waitUntil;
};

/**
 * Makes one attempt to deliver a message. While a webhook is failing, only one of its messages is sent at a time and
 * the others wait, so an unresponsive receiver uses little of the workers' time.
 * @throws Error on failure, so that the queue delivers the message again
 */
export const deliverWebhook = async (run: WorkerContext, message: WebhookMessage): Promise<void> => {
  const { services, requestId, timeLeft } = run;
  const { store, queue, push, clock, retryPauseMs } = services;
  const isDue = await waitOrRequeue(run, message);
  if (!isDue) return;
  const { webhook_id, delivery_id, interactions: ids, news, since: queuedAt } = message;
  const isTest = ids.length === 0;
  const { webhooks } = await readWebhooks(store.db);
  const webhook = webhooks.find((one) => one.webhook_id === webhook_id);
  if (webhook === undefined || (webhook.disabled_at !== null && !isTest)) return;

  const requeue = async (at: number): Promise<void> => {
    if (at > queuedAt + MAX_AGE_MS)
      return log.warn("webhook message dropped", { request_id: requestId, webhook_id });
    await queue.send([{ message: { ...message, notBefore: at }, delay: at - clock() }]);
  };
  const waitUntil = isTest ? null : await claimAttempt(run, webhook);
  if (waitUntil !== null) return requeue(waitUntil);

  const game = await store.game();
  const load = async (): Promise<Contents | null> => {
    if (isTest) return testContents(game);
    return news === undefined
      ? interactionContents(run, game, webhook, ids)
      : newsContents(run, game, webhook, news);
  };
  const contents = await load();
  if (contents === null) return;
  const { sendWebhook } = await import("./lazyPush.ts");
  const rendered = renderMessage(webhook, delivery_id, game, contents, clock());
  const outcome = await sendWebhook(
    { url: webhook.url, ...rendered, timeoutMs: timeLeft() - WORKER_RESERVE_MS },
    push,
  );
  const { result, why, wait, tried } = outcome;
  log.info("webhook", { request_id: requestId, webhook_id, result, why });
  await recordMetrics({
    WebhookSent: Number(result === "sent"),
    WebhookRetried: Number(result === "retry"),
    WebhookFailed: Number(result === "failed" || result === "expired"),
  });
  // Nothing was sent: time has run out, or the circuit breaker is open.
  if (result === "retry" && !tried)
    return isTest ? undefined : requeue(clock() + Math.max(wait, retryPauseMs));

  const attempt = { result, reason: why, retryAfterMs: wait, isTest };
  let wasDisabled = false;
  const after = await changeWebhook(
    store.db,
    webhook_id,
    (before) => {
      wasDisabled = before.disabled_at !== null;
      return afterAttempt(before, attempt, clock(), retryPauseMs);
    },
    timeLeft,
  );
  if (after === null) return;
  if (after.disabled_at !== null && !wasDisabled) return logDisabled(run, game, after);
  if (result === "retry" && !isTest) await requeue(after.retry_at ?? clock());
};
