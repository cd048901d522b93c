/** Delivery: one message to many subscriptions, each tried once, and what became of each. */
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

/** How long a push service keeps a message for a browser that is away, unless said: in seconds. */
const TTL = (24 * HOUR) / SECOND;
/** Some services have a host for each part of the world; more than this are not remembered. */
const MOST_LANES = 256;
/** A timer that is set to more rings at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What became of a message. `retry`: may be tried again, not before `wait` milliseconds. */
export interface Delivery extends JobOutcome {
  subscription: Subscription;
  result: "sent" | "expired" | "failed" | "retry";
  /** A status, or the kind of a fault; names nobody. */
  why: string;
  /**
   * For `retry`: what the push service asked for (Retry-After), or the rest of the minute in which a failing
   * service is left alone, in milliseconds; 0 otherwise.
   */
  wait: number;
  /** Whether it was really sent out: false when time had run out or the service is being left alone. */
  tried: boolean;
}

/** A message on its way out. */
export interface Outgoing {
  message: Buffer;
  /** Up to 32 characters of base64url: a message not yet delivered gives way to one of its topic. */
  topic: string;
  /** For all, in milliseconds. */
  timeoutMs: number;
  /** How soon a sleeping phone is to be woken; `normal` unless said. */
  urgency?: "very-low" | "low" | "normal" | "high";
  /** How long a push service keeps it, in seconds; a day unless said. */
  ttl?: number;
}

/** The lane of a service. What a connection depends on is in its name, so that none is taken for another. */
const laneOf = (
  sender: Sender,
  { origin }: URL,
  exempt: boolean,
  { vapid, ca }: { vapid: VapidKeys; ca: string | undefined },
): ConnectionPool => {
  const name = JSON.stringify([origin, exempt, ca, vapid.publicKey, vapid.privateKey, vapid.subject]);
  const known = sender.pools.get(name);
  if (known !== undefined) return known;
  for (const [other, lane] of sender.pools) {
    if (sender.pools.size < MOST_LANES) break;
    if (!lane.isIdle()) continue;
    lane.close();
    sender.pools.delete(other);
  }
  const { resolve = systemResolver, build = buildConnector } = sender;
  const connector = guardedConnector({ build, resolve, exempt, ca, patience: MESSAGE_TIMEOUT_MS });
  const lane = makeConnectionPool({
    sender,
    sign: vapidSigner(origin, vapid, sender.clock),
    connect: () =>
      // The message's own deadline takes the place of all other timers.
      new Client(origin, {
        connect: connector,
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  });
  sender.pools.set(name, lane);
  return lane;
};

/**
 * Delivers a message. Nothing that a push service or a subscription does makes it throw.
 * @param settings the deployment's, with its keys
 * @returns what became of each, in the order of the subscriptions
 */
export const deliver = async (
  subscriptions: readonly Subscription[],
  { message, topic, timeoutMs: patience, urgency = "normal", ttl = TTL }: Outgoing,
  settings: DeliverySettings,
): Promise<Delivery[]> => {
  if (subscriptions.length === 0) return [];
  const until = performance.now() + patience;
  const sender = settings.sender ?? makeSender();
  const headers = {
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    topic,
    ttl: String(ttl),
    urgency,
  };
  const added: { lane: ConnectionPool; job: Job }[] = [];
  let isFilling = false;

  const sendWith = (
    vapid: VapidKeys,
    subscription: Subscription,
    { url, exempt }: { url: URL; exempt: boolean },
  ): Promise<JobOutcome> =>
    new Promise((settle) => {
      const lane = laneOf(sender, url, exempt, { vapid, ca: settings.ca });
      const job: Job = { subscription, path: url.pathname + url.search, message, headers, until, settle };
      lane.add(job);
      added.push({ lane, job });
      if (isFilling) lane.fill();
    });

  const send = async (subscription: Subscription): Promise<JobOutcome> => {
    // The list of services may have changed since this was subscribed.
    const judged = checkEndpoint(subscription.endpoint, settings.allowed);
    if ("fault" in judged) return permanentFailure("endpoint not allowed");
    const [likely, ...others] = keysToTry(settings.vapid, instantOf(subscription.created_at));
    if (likely === undefined) return permanentFailure("no keys");
    let outcome = await sendWith(likely, subscription, judged);
    // A browser may have subscribed with the key before, though a newer one was in use.
    for (const vapid of others) {
      if (!outcome.isKeyMismatch) break;
      outcome = await sendWith(vapid, subscription, judged);
    }
    return outcome;
  };

  const sending = subscriptions.map(async (subscription) => {
    const { result, why, wait, tried } = await send(subscription);
    return { subscription, result, why, wait, tried };
  });
  // All that go to one service are in its line before the first is taken out.
  isFilling = true;
  for (const lane of new Set(added.map(({ lane }) => lane))) lane.fill();
  const timer = setTimeout(
    () => {
      for (const { lane, job } of added) lane.giveUp(job);
    },
    Math.min(Math.max(patience, 0), LONGEST_TIMER),
  );
  const deliveries = await Promise.all(sending);
  clearTimeout(timer);
  if (settings.sender === undefined) closeSender(sender);
  return deliveries;
};
