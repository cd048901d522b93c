/** Delivers one message to many subscriptions, with one attempt each. */
import { buildConnector, Client } from "undici";
import type { Subscription } from "../domain/push.ts";
import { HOUR, instantOf, SECOND } from "../domain/time.ts";
import { keysToTry } from "../secrets/rotation.ts";
import { checkEndpoint } from "./allowlist.ts";
import { MESSAGE_TIMEOUT_MS, makeConnectionPool, permanentFailure } from "./connectionPool.ts";
import { guardedConnector, systemResolver } from "./connector.ts";
import { MAX_HEADER_BYTES } from "./request.ts";
import {
  type ConnectionPool,
  closeSender,
  type Job,
  type JobOutcome,
  makeSender,
  type Sender,
} from "./sender.ts";
import type { DeliverySettings } from "./settings.ts";
import type { VapidKeys } from "./vapid.ts";
import { vapidSigner } from "./vapid.ts";

/** How long a push service stores a message by default. */
const TTL_SECONDS = (24 * HOUR) / SECOND;
/** Some services have a host for each region. */
const MAX_POOLS = 256;
/** A longer timer of Node.js fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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

/** The connection pool of a service. Its key contains everything that a connection depends on. */
const poolOf = (
  sender: Sender,
  { origin }: URL,
  exempt: boolean,
  { vapid, ca }: { vapid: VapidKeys; ca: string | undefined },
): ConnectionPool => {
  const name = JSON.stringify([origin, exempt, ca, vapid.publicKey, vapid.privateKey, vapid.subject]);
  const known = sender.pools.get(name);
  if (known !== undefined) return known;
  for (const [other, pool] of sender.pools) {
    if (sender.pools.size < MAX_POOLS) break;
    if (!pool.isIdle()) continue;
    pool.close();
    sender.pools.delete(other);
  }
  const { resolve = systemResolver, build = buildConnector } = sender;
  const connector = guardedConnector({ build, resolve, exempt, ca, timeoutMs: MESSAGE_TIMEOUT_MS });
  const pool = makeConnectionPool({
    sender,
    sign: vapidSigner(origin, vapid, sender.clock),
    connect: () =>
      // The timeout of each message replaces these timers.
      new Client(origin, {
        connect: connector,
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  });
  sender.pools.set(name, pool);
  return pool;
};

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
  if (subscriptions.length === 0) return [];
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
      const pool = poolOf(sender, url, exempt, { vapid, ca: settings.ca });
      const job: Job = { subscription, path: url.pathname + url.search, message, headers, until, settle };
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
  // Start only after all messages are queued, so that the pools know how many are waiting.
  isFilling = true;
  for (const pool of new Set(added.map(({ pool }) => pool))) pool.fill();
  const timer = setTimeout(
    () => {
      for (const { pool, job } of added) pool.giveUp(job);
    },
    Math.min(Math.max(timeoutMs, 0), MAX_TIMER_MS),
  );
  const deliveries = await Promise.all(sending);
  clearTimeout(timer);
  if (settings.sender === undefined) closeSender(sender);
  return deliveries;
};
