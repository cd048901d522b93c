/** What the processes of the push bench say to one another. */
import * as z from "zod/mini";

/** A browser that messages are encrypted for. */
const Target = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() });
export type Target = z.infer<typeof Target>;

/** A body as it was sent, and for which of the targets. */
export const Sample = z.object({ target: z.int(), body: z.string() });
export type Sample = z.infer<typeof Sample>;

export const SinkAsked = z.union([
  z.object({ start: z.object({ key: z.string(), cert: z.string() }) }),
  /** What came since the last time. */
  z.object({ count: z.literal(true) }),
]);
export const SinkTold = z.object({ port: z.int() });
export const Counted = z.object({ count: z.int(), cpu: z.number(), samples: z.array(Sample) });

export const Setup = z.object({
  kind: z.enum(["web-push", "delivery", "encryption"]),
  port: z.int(),
  ca: z.string(),
  vapid: z.object({ publicKey: z.string(), privateKey: z.string(), subject: z.string() }),
  message: z.string(),
  targets: z.array(Target),
});
export type Setup = z.infer<typeof Setup>;
export const SubjectAsked = z.union([z.object({ setup: Setup }), z.object({ send: z.int() })]);
/** Wall time in milliseconds and the time of this process's CPUs in microseconds, for so many messages. */
export const Measured = z.object({
  count: z.int(),
  wall: z.number(),
  cpu: z.number(),
  samples: z.array(Sample),
});
export type Measured = z.infer<typeof Measured>;
