/** The webhooks of the game. One item holds all of them, with their secrets. */
import * as z from "zod/mini";
import { Webhook } from "../../domain/notifications/webhook.ts";
import type { Database, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { commit } from "../commit.ts";
import { keys } from "../keys.ts";

const Webhooks = z.lazy(() => z.looseObject({ rev: z.int(), webhooks: z.array(Webhook) }));
export type Webhooks = z.infer<typeof Webhooks>;

/** All webhooks, in the order of the settings. */
export const readWebhooks = async (db: Database): Promise<Webhooks> => {
  const item = await db.get(keys.webhooks);
  return item === undefined ? { rev: 0, webhooks: [] } : Webhooks.parse(item);
};

/** The write that replaces the webhooks, on condition that they have not changed since they were read. */
export const webhooksWrite = (read: Webhooks, webhooks: readonly Webhook[]): Write => ({
  put: { ...read, ...keys.webhooks, rev: read.rev + 1, webhooks },
  expect: read.rev === 0 ? "absent" : { rev: read.rev },
});

/** Changes a webhook, and retries after conflicts. @returns the changed webhook; `null` if it was removed */
export const changeWebhook = async (
  db: Database,
  webhook_id: string,
  change: (webhook: Webhook) => Webhook,
  timeLeft: () => number,
): Promise<Webhook | null> => {
  for (;;) {
    const read = await readWebhooks(db);
    const before = read.webhooks.find((one) => one.webhook_id === webhook_id);
    if (before === undefined) return null;
    const after = change(before);
    if (after === before) return after;
    const webhooks = read.webhooks.map((one) => (one === before ? after : one));
    try {
      await commit(db, [webhooksWrite(read, webhooks)], timeLeft);
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};
