/** Delivers a message to a webhook, once, and decides whether it is sent again. */
import { createHmac } from "node:crypto";
import type { Game } from "../../domain/clock.ts";
import { discordText, escapeMarkdown } from "../../domain/discord.ts";
import { DAY, rfc3339, SECOND } from "../../domain/time.ts";
import { shownInteraction } from "../../domain/visibility.ts";
import { afterAttempt, isWanted, type Webhook } from "../../domain/webhook.ts";
import type { InteractionReturnType } from "../../http/views.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { changeWebhook, readWebhooks } from "../../store/webhooks.ts";
import { newLogEntry } from "../logEntry.ts";
import { NOBODY, showInteractions } from "../lookups.ts";
import { RESERVE_MS, waitOrRequeue } from "./messageTiming.ts";

type WebhookMessage = Extract<QueueMessage, { kind: "webhook" }>;

/** A message is not delivered later than this. */
const MAX_AGE_MS = DAY;

/** A process that has claimed an attempt for this long is presumed dead. */
const CLAIM_MS = 15 * SECOND;

/** Discord's flag for a message whose links are not expanded. */
const SUPPRESS_EMBEDS = 4;

/** The interactions that everybody may see, and that the webhook wants. */
const shownInteractions = async (
  { services: { store, clock } }: WorkerContext,
  game: Game,
  webhook: Webhook,
  ids: readonly string[],
): Promise<InteractionReturnType[]> => {
  const stored = await Promise.all(ids.map((id) => store.interaction(game, id)));
  const shown = stored
    .map((one) => (one === null ? null : shownInteraction(one, null, game, clock())))
    .filter((one) => one !== null && isWanted(webhook, one.kind));
  return showInteractions(
    store,
    shown.filter((one) => one !== null),
    NOBODY,
  );
};

const discordBody = (
  { settings: { name } }: Game,
  interactions: InteractionReturnType[] | null,
): unknown => ({
  content: interactions === null ? `This is a test of ${escapeMarkdown(name)}.` : discordText(interactions),
  // Nobody is notified, whatever the text has.
  allowed_mentions: { parse: [] },
  flags: SUPPRESS_EMBEDS,
});

const signedBody = (
  { settings: { name } }: Game,
  interactions: InteractionReturnType[] | null,
  now: number,
): unknown => ({
  type: interactions === null ? "test" : "interactions",
  timestamp: rfc3339(now),
  data: { name, ...(interactions === null ? {} : { interactions }) },
});

/** The headers of Standard Webhooks, with which a receiver knows the sender and the time. */
const signatureHeaders = (id: string, secret: string, body: string, now: number): Record<string, string> => {
  const timestamp = String(Math.floor(now / SECOND));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
};

/** The body and headers of a message. @param interactions `null` for a test */
const renderMessage = (
  { format, secret }: Webhook,
  id: string,
  game: Game,
  interactions: InteractionReturnType[] | null,
  now: number,
): { headers: Record<string, string>; body: Buffer } => {
  const body = JSON.stringify(
    format === "discord" ? discordBody(game, interactions) : signedBody(game, interactions, now),
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
 * Claims the next attempt to reach a webhook that fails, so that its messages do not all try at once.
 * @returns until when to wait instead, in milliseconds since 1970; `null` if this is the one that tries
 */
const claimAttempt = async (
  { services: { store, clock }, timeLeft }: WorkerContext,
  { webhook_id, failing_since, retry_at }: Webhook,
): Promise<number | null> => {
  const now = clock();
  if (retry_at !== null && retry_at > now) return retry_at;
  if (failing_since === null) return null;
  let until: number | null = null;
  const claim = (before: Webhook): Webhook => {
    until = before.retry_at !== null && before.retry_at > now ? before.retry_at : null;
    return until === null ? { ...before, retry_at: now + CLAIM_MS } : before;
  };
  await changeWebhook(store.db, webhook_id, claim, timeLeft);
  return until;
};

/**
 * Delivers a message to a webhook. While the webhook fails, its messages wait together, and only one of them is tried at a
 * time; so a receiver that hangs takes little of the workers' time.
 * @throws Error when the message is to be delivered again
 */
export const deliverWebhook = async (run: WorkerContext, message: WebhookMessage): Promise<void> => {
  const { services, requestId, timeLeft } = run;
  const { store, queue, push, clock, retryPauseMs } = services;
  if (!(await waitOrRequeue(run, message))) return;
  const { webhook_id, delivery_id, interactions: ids, since } = message;
  const isTest = ids.length === 0;
  const { webhooks } = await readWebhooks(store.db);
  const webhook = webhooks.find((one) => one.webhook_id === webhook_id);
  if (webhook === undefined || (webhook.disabled_at !== null && !isTest)) return;

  const requeue = async (at: number): Promise<void> => {
    if (at > since + MAX_AGE_MS) return log.warn("webhook message dropped", { request_id: requestId });
    await queue.send([{ message: { ...message, notBefore: at }, delay: at - clock() }]);
  };
  const waitUntil = isTest ? null : await claimAttempt(run, webhook);
  if (waitUntil !== null) return requeue(waitUntil);

  const game = await store.game();
  const interactions = isTest ? null : await shownInteractions(run, game, webhook, ids);
  if (interactions?.length === 0) return;
  const { sendWebhook } = await import("./lazyPush.ts");
  const rendered = renderMessage(webhook, delivery_id, game, interactions, clock());
  const outcome = await sendWebhook(
    { url: webhook.url, ...rendered, timeoutMs: timeLeft() - RESERVE_MS },
    push,
  );
  const { result, why, wait, tried } = outcome;
  log.info("webhook", { request_id: requestId, webhook_id, result, why });
  await recordMetrics({
    WebhookSent: Number(result === "sent"),
    WebhookRetried: Number(result === "retry"),
    WebhookFailed: Number(result === "failed" || result === "expired"),
  });
  // Nothing was sent because this process has no time, or has seen the receiver fail.
  if (result === "retry" && !tried)
    return isTest ? undefined : requeue(clock() + Math.max(wait, retryPauseMs));

  const attempt = { result, why, wait, isTest };
  let wasOff = true;
  const after = await changeWebhook(
    store.db,
    webhook_id,
    (before) => {
      wasOff = before.disabled_at !== null;
      return afterAttempt(before, attempt, clock(), retryPauseMs);
    },
    timeLeft,
  );
  if (after === null) return;
  if (after.disabled_at !== null && !wasOff) return logDisabled(run, game, after);
  if (result === "retry" && !isTest) await requeue(after.retry_at ?? clock());
};
