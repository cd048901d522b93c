/** Sends one message to a webhook, with the connections, limits and guards of push messages. */
import { checkWebhook } from "./allowlist.ts";
import { permanentFailure } from "./connectionPool.ts";
import { poolOf, startTimer } from "./pools.ts";
import { closeSender, type Job, type JobOutcome, makeSender } from "./sender.ts";
import type { PushSettings } from "./settings.ts";

/** A message to a webhook. */
export interface WebhookPost {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
}

/** Sends a message, once. It does not throw for any response of the receiver. */
export const sendWebhook = async (
  { url: text, headers, body, timeoutMs }: WebhookPost,
  { allowed, ca, sender: own }: Pick<PushSettings, "allowed" | "ca" | "sender">,
): Promise<JobOutcome> => {
  const check = checkWebhook(text, allowed);
  if ("error" in check) return permanentFailure("address not allowed");
  const { url, exempt } = check;
  const sender = own ?? makeSender();
  // Receivers at one host share neither connections nor failures.
  const pool = poolOf(sender, url, { exempt, ca, owner: ["webhook", url.pathname] });
  const outcome = await new Promise<JobOutcome>((resolve) => {
    const job: Job = {
      request: () => ({ path: url.pathname + url.search, headers, body }),
      until: performance.now() + timeoutMs,
      settle: (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      },
    };
    const timer = startTimer(() => pool.giveUp(job), timeoutMs);
    pool.add(job);
    pool.fill();
  });
  if (own === undefined) closeSender(sender);
  return outcome;
};
