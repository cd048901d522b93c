/** Webhooks: external URLs to which interactions are sent, and how deliveries change their state. */
import * as z from "zod/mini";
import { KINDS } from "../hunts/interaction.ts";
import { nullableInteger, nullableText, text, textList } from "../schemas.ts";
import { DAY, instantOf, MINUTE, rfc3339 } from "../time.ts";
import { NEWS } from "./newsNames.ts";

/** The maximum number of webhooks of a game. */
export const MAX_WEBHOOKS = 5;

/** Discord's own format, or signed JSON (Standard Webhooks). */
export const WEBHOOK_FORMATS = ["discord", "signed"] as const;

/** What a webhook can subscribe to: interactions by their kinds, and news. */
export const WEBHOOK_EVENTS = [...KINDS, ...NEWS] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** A webhook as stored; times are RFC 3339, except `retry_at`. The URL can be a secret, as Discord's is. */
export const Webhook = z.lazy(() =>
  z.looseObject({
    webhook_id: text,
    url: text,
    format: z.enum(WEBHOOK_FORMATS),
    /** The events that are sent; `null` for all. */
    events: z.nullable(textList),
    /** The key of the signatures; `null` for Discord. */
    secret: nullableText,
    created_at: text,
    /** Since when no delivery has succeeded; `null` after a success. */
    failing_since: nullableText,
    /** The status or error of the last failure. */
    last_error: nullableText,
    /** When the next delivery is allowed, in milliseconds since 1970; `null` if it is allowed now. */
    retry_at: nullableInteger,
    /** Since when it is switched off because of failures; `null` if it is on. */
    disabled_at: nullableText,
    /** When the last test was delivered. */
    tested_at: nullableText,
  }),
);
export type Webhook = z.infer<typeof Webhook>;

/** After failing for this long, a webhook is switched off. */
const MAX_FAILING_MS = DAY;
/** The longest pause that the service chooses itself. A receiver may ask for up to a day. */
const MAX_OWN_PAUSE_MS = 15 * MINUTE;

/** Whether a webhook gets an event. */
export const getsEvent = ({ events }: Pick<Webhook, "events">, event: WebhookEvent): boolean =>
  events?.includes(event) ?? true;

/** The events in the order of the API, each once; `null` for all. */
export const orderedEvents = (events: readonly WebhookEvent[] | null): WebhookEvent[] | null =>
  events === null ? null : WEBHOOK_EVENTS.filter((event) => events.includes(event));

/** The result of an attempt to deliver a message. */
export interface DeliveryAttempt {
  /** `retry` may succeed later; `failed` and `expired` will not. */
  result: "sent" | "retry" | "failed" | "expired";
  /** The HTTP status, or the kind of error. */
  reason: string;
  /** For `retry`: how long the receiver asks to wait, in milliseconds. */
  retryAfterMs: number;
  isTest: boolean;
}

/**
 * Updates a webhook after an attempt. The longer it fails, the longer it pauses; a pause applies to all its messages.
 * After a day of failures it is switched off; a test that is delivered switches it on again.
 * @param firstPause the shortest pause after a failure, in milliseconds
 */
export const afterAttempt = (
  webhook: Webhook,
  { result, reason, retryAfterMs, isTest }: DeliveryAttempt,
  now: number,
  firstPause: number,
): Webhook => {
  const working = { failing_since: null, last_error: null, retry_at: null };
  if (result === "sent" && isTest)
    return { ...webhook, ...working, disabled_at: null, tested_at: rfc3339(now) };
  if (result === "sent") return webhook.failing_since === null ? webhook : { ...webhook, ...working };
  const failingFor = webhook.failing_since === null ? 0 : now - instantOf(webhook.failing_since);
  const pause = Math.max(
    Math.min(retryAfterMs, MAX_FAILING_MS),
    firstPause,
    Math.min(failingFor, MAX_OWN_PAUSE_MS),
  );
  return {
    ...webhook,
    failing_since: webhook.failing_since ?? rfc3339(now),
    last_error: reason,
    retry_at: result === "retry" ? now + pause : webhook.retry_at,
    disabled_at: webhook.disabled_at ?? (failingFor >= MAX_FAILING_MS ? rfc3339(now) : null),
  };
};
