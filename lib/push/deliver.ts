/** Delivery: one message to many subscriptions, each tried once, and what became of each. */
import { Agent } from "node:https";
import type { Subscription } from "../domain/push.ts";
import { SECOND } from "../domain/time.ts";
import { judgeEndpoint } from "./guard.ts";
import { encrypted } from "./message.ts";
import { post } from "./post.ts";
import type { PushSettings, VapidKeys } from "./settings.ts";
import { type Signer, vapidSigner } from "./vapid.ts";

/** How many messages are under way at once. */
const MOST_AT_ONCE = 100;
/** For one message, in milliseconds. */
const PATIENCE = 5 * SECOND;
/** How long a push service keeps a message for a browser that is away, in seconds. */
const TTL = 24 * 60 * 60;

/** What became of a message; `why` is a status, or the kind of a fault, and names nobody. */
export interface Delivery {
  subscription: Subscription;
  fate: "sent" | "expired" | "failed";
  why: string;
}

/** A message on its way out. */
export interface Outgoing {
  message: Buffer;
  /** Up to 32 characters of base64url: a message not yet delivered gives way to one of its topic. */
  topic: string;
  /** For all, in milliseconds. */
  patience: number;
}

const EXPIRED = [404, 410];

const fateOf = (status: number): Delivery["fate"] => {
  if (EXPIRED.includes(status)) return "expired";
  return status >= 200 && status < 300 ? "sent" : "failed";
};

const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};

/** Works through all, so many at once, in order. */
const inTurns = async <T, R>(all: readonly T[], most: number, work: (one: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const rest = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, one] of rest) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker));
  return results;
};

/**
 * Delivers a message. Nothing that a push service or a subscription does makes it throw.
 * @param settings the deployment's, with its keys
 */
export const deliver = async (
  subscriptions: readonly Subscription[],
  { message, topic, patience }: Outgoing,
  settings: PushSettings & { vapid: VapidKeys },
): Promise<Delivery[]> => {
  const { vapid, allowed, ca } = settings;
  const until = performance.now() + patience;
  const sign: Signer = vapidSigner(vapid);
  const agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });

  const send = async (subscription: Subscription): Promise<Pick<Delivery, "fate" | "why">> => {
    // The list of services may have changed since this was subscribed.
    const judged = judgeEndpoint(subscription.endpoint, allowed);
    if ("fault" in judged) return { fate: "failed", why: "endpoint not allowed" };
    const left = Math.min(PATIENCE, until - performance.now());
    if (left <= 0) return { fate: "failed", why: "no time left" };
    const { url } = judged;
    const body = encrypted(message, subscription);
    const headers = {
      authorization: sign(url),
      "content-encoding": "aes128gcm",
      "content-length": body.length,
      "content-type": "application/octet-stream",
      topic,
      ttl: TTL,
      urgency: "normal",
    };
    const status = await post({ url, headers, body, agent, patience: left });
    return { fate: fateOf(status), why: String(status) };
  };

  try {
    return await inTurns(subscriptions, MOST_AT_ONCE, async (subscription) => {
      const { fate, why } = await send(subscription).catch((error: unknown) => ({
        fate: "failed" as const,
        why: kindOf(error),
      }));
      return { subscription, fate, why };
    });
  } finally {
    agent.destroy();
  }
};
