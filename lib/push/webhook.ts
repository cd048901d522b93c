/** Sends one message to a webhook, with the pools, limits and address checks of push messages. */
import { checkWebhook } from "./allowlist.ts";
import { permanentFailure, poolOf, startTimer } from "./connectionPool.ts";
import { closeSender, type Job, type JobOutcome, makeSender } from "./sender.ts";
import type { PushSettings } from "./settings.ts";

/** A message to a webhook. */
export interface WebhookPost {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
}

/** Sends a message, once. It never throws because of a response. */
export const sendWebhook = async (
  { url: urlText, headers, body, timeoutMs }: WebhookPost,
  { allowed, ca, sender: sharedSender }: Pick<PushSettings, "allowed" | "ca" | "sender">,
): Promise<JobOutcome> => {
  const check = checkWebhook(urlText, allowed);
  if ("error" in check) return permanentFailure("address not allowed");
  const { url, exempt } = check;
  const sender = sharedSender ?? makeSender();
  // Webhooks with different paths at one host share neither connections nor failures.
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
  if (sharedSender === undefined) closeSender(sender);
  return outcome;
};
