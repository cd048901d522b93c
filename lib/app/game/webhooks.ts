/** The settings of webhooks: what game masters see of them, and how a request changes them. */
import { randomBytes } from "node:crypto";
import { orderedEvents, type Webhook, type WebhookEvent } from "../../domain/notifications/webhook.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import { type AllowedHosts, checkWebhook } from "../../push/allowlist.ts";

/** A webhook of a request: an existing one has an id, and a new one a URL and a format. */
interface WebhookRequest {
  webhook_id?: string | undefined;
  url?: string | undefined;
  format?: Webhook["format"] | undefined;
  events?: readonly WebhookEvent[] | null | undefined;
}

/** The webhooks of a request; `null` for none. */
export type WebhooksRequest = readonly WebhookRequest[] | null | undefined;

/** A webhook as game masters see it, without the path of its URL, which may be a secret. */
export const webhookView = (webhook: Webhook, isNew = false) => ({
  ...webhook,
  host: new URL(webhook.url).host,
  secret: isNew ? webhook.secret : null,
});

type WebhookView = ReturnType<typeof webhookView>;

/** A webhook for the audit log, without its delivery status. */
export const loggedWebhook = ({ webhook_id, host, format, events }: WebhookView) => ({
  webhook_id,
  host,
  format,
  events,
});

const NEW_STATE = {
  failing_since: null,
  last_error: null,
  retry_at: null,
  disabled_at: null,
  tested_at: null,
};

/** A new signing key for a webhook, in the format of Standard Webhooks. */
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/**
 * The webhooks after a request. An existing webhook is identified by its id, and keeps its URL and secret.
 * @param report called with each issue of the request
 */
export const changedWebhooks = (
  before: readonly Webhook[],
  wanted: WebhooksRequest,
  { allowed, newId, now }: { allowed: AllowedHosts; newId: () => string; now: number },
  report: (issue: ValidationIssue) => void,
): readonly Webhook[] => {
  if (wanted === undefined) return before;
  return (wanted ?? []).flatMap(({ webhook_id, url, format, events }, at): Webhook[] => {
    const issue = (name: string, message: string): Webhook[] => {
      report({ path: `webhooks.${at}.${name}`, message });
      return [];
    };
    if (webhook_id !== undefined) {
      const known = before.find((one) => one.webhook_id === webhook_id);
      if (url !== undefined) return issue("url", "is only for a new webhook, which has no id");
      if (format !== undefined) return issue("format", "is only for a new webhook, which has no id");
      if (known === undefined) return issue("webhook_id", "is not the id of a webhook of this game");
      if (wanted?.findIndex((one) => one.webhook_id === webhook_id) !== at)
        return issue("webhook_id", "must not occur twice");
      return [events === undefined ? known : { ...known, events: orderedEvents(events) }];
    }
    const check = url === undefined ? { error: "is missing" } : checkWebhook(url, allowed);
    if ("error" in check) issue("url", check.error);
    if (format === undefined) issue("format", "is missing");
    if ("error" in check || format === undefined) return [];
    return [
      {
        webhook_id: newId(),
        url: check.url.href,
        format,
        events: orderedEvents(events ?? null),
        secret: format === "signed" ? newSecret() : null,
        created_at: rfc3339(now),
        ...NEW_STATE,
      },
    ];
  });
};
