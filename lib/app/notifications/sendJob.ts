/** The job that sends a notification, so that a retry with the same idempotency key sends nothing twice. */
import * as z from "zod/mini";
import { Notification, type SendResult } from "../../domain/push.ts";
import type { Call } from "../../http/definition.ts";
import { LeasedJob } from "../../jobs/lease.ts";

export const SendJob = z.extend(LeasedJob, { notification: Notification, shard: z._default(z.int(), 0) });
export type SendJob = z.infer<typeof SendJob>;

export type SendCall = Call<"administrator", { title: string; content: string }, unknown, SendResult>;
