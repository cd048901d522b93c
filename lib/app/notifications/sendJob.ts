/**
 * The stored state of the job that sends a notification. It keeps a retry with the same idempotency key from sending
 * twice.
 */
import * as z from "zod/mini";
import { type Audience, Notification, type SendResult } from "../../domain/notifications/push.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { LeasedJob } from "../../jobs/lease.ts";

export const SendJob = z.extend(LeasedJob, { notification: Notification, shard: z._default(z.int(), 0) });
export type SendJob = z.infer<typeof SendJob>;

interface SendRequest {
  title: string;
  content: string;
  player_groups: string;
  audience?: Audience | undefined;
  send_at?: string | undefined;
}

export type SendCall = Call<"administrator", SendRequest, unknown, SendResult>;
