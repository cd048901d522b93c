/** The stored state of the job that sends a notification. It keeps a retry with the same idempotency key from sending twice. */
import * as z from "zod/mini";
import { Notification } from "../domain/notifications/push.ts";
import { LeasedJob } from "./lease.ts";

export const SendJob = z.extend(LeasedJob, { notification: Notification, shard: z._default(z.int(), 0) });
export type SendJob = z.infer<typeof SendJob>;
