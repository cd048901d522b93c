/** Delivers one message to many subscriptions, with one attempt each, or one for each VAPID key on a mismatch. */
import type { Subscription } from "../domain/notifications/push.ts";
import { HOUR, instantOf, SECOND } from "../domain/time.ts";
import { keysToTry } from "../secrets/rotation.ts";
import { checkEndpoint } from "./allowlist.ts";
import { permanentFailure, poolOf, startTimer } from "./connectionPool.ts";
import { encrypt } from "./encrypt.ts";
import { type ConnectionPool, closeSender, type Job, type JobOutcome, makeSender } from "./sender.ts";
import type { DeliverySettings } from "./settings.ts";
import { type Signer, type VapidKeys, vapidSigner } from "./vapid.ts";

/** How long a push service stores a message by default. */
const TTL_SECONDS = (24 * HOUR) / SECOND;

/** The outcome of a message for one subscription. */
export interface Delivery extends JobOutcome {
  subscription: Subscription;
}

/** A message to deliver. */
export interface Outgoing {
  message: Buffer;
  /** Up to 32 characters of base64url. A newer message replaces an undelivered one of the same topic. */
  topic: string;
  /** For all subscriptions together. */
  timeoutMs: number;
  /** Whether to wake a sleeping device; `normal` by default. */
  urgency?: "very-low" | "low" | "normal" | "high";
  /** How long a push service stores it, in seconds; a day by default. */
  ttl?: number;
}

/** The signer of each pool. It keeps its header for as long as the pool exists. */
const signers = new WeakMap<ConnectionPool, Signer>();

/**
 * Delivers a message. It does not throw for any response of a push service or any content of a subscription.
 * @param settings of the deployment, with its keys
 * @returns the outcomes, in the order of the subscriptions
 */
export const deliver = async (
  subscriptions: readonly Subscription[],
  { message, topic, timeoutMs, urgency = "normal", ttl = TTL_SECONDS }: Outgoing,
  settings: DeliverySettings,
): Promise<Delivery[]> => {
  const until = performance.now() + timeoutMs;
  const sender = settings.sender ?? makeSender();
  const headers = {
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    topic,
    ttl: String(ttl),
    urgency,
  };
  const added: { pool: ConnectionPool; job: Job }[] = [];
  let isFilling = false;

  const sendWith = (
    vapid: VapidKeys,
    subscription: Subscription,
    { url, exempt }: { url: URL; exempt: boolean },
  ): Promise<JobOutcome> =>
    new Promise((settle) => {
      const owner = [vapid.publicKey, vapid.privateKey, vapid.subject];
      const pool = poolOf(sender, url, { exempt, ca: settings.ca, owner });
      const sign = signers.get(pool) ?? vapidSigner(url.origin, vapid, sender.clock);
      signers.set(pool, sign);
      const request = () => ({
        path: url.pathname + url.search,
        headers: { authorization: sign(), ...headers },
        body: encrypt(message, subscription),
      });
      const job: Job = { request, until, settle };
      pool.add(job);
      added.push({ pool, job });
      if (isFilling) pool.fill();
    });

  const send = async (subscription: Subscription): Promise<JobOutcome> => {
    // The allowlist may have changed since the subscription was stored.
    const endpoint = checkEndpoint(subscription.endpoint, settings.allowed);
    if ("error" in endpoint) return permanentFailure("endpoint not allowed");
    const [preferred, ...others] = keysToTry(settings.vapid, instantOf(subscription.created_at));
    if (preferred === undefined) return permanentFailure("no keys");
    let outcome = await sendWith(preferred, subscription, endpoint);
    // The browser may have subscribed with an older key although a newer one was in use.
    for (const vapid of others) {
      if (!outcome.isKeyMismatch) break;
      outcome = await sendWith(vapid, subscription, endpoint);
    }
    return outcome;
  };

  const sending = subscriptions.map(async (subscription) => {
    const { result, why, wait, tried } = await send(subscription);
    return { subscription, result, why, wait, tried };
  });
  // Sending starts when all messages are queued, because the concurrency limit depends on their number.
  isFilling = true;
  for (const pool of new Set(added.map(({ pool }) => pool))) pool.fill();
  const timer = startTimer(() => {
    for (const { pool, job } of added) pool.giveUp(job);
  }, timeoutMs);
  const deliveries = await Promise.all(sending);
  clearTimeout(timer);
  if (settings.sender === undefined) closeSender(sender);
  return deliveries;
};
