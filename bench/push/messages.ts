/** The messages between the processes of the push bench. */
import * as z from "zod/mini";

/** A body that was sent, and the index of its target. */
const Sample = z.object({ target: z.int(), body: z.string() });
export type Sample = z.infer<typeof Sample>;
/** One of this many bodies is kept as a sample, and decrypted. */
export const SAMPLE_EVERY = 97;

export const SinkMessage = z.union([
  z.object({ start: z.object({ key: z.string(), cert: z.string() }) }),
  /** Requests the number of messages since the previous request. */
  z.object({ count: z.literal(true) }),
]);
export const SinkStarted = z.object({ port: z.int() });

const Setup = z.object({
  kind: z.enum(["web-push", "delivery", "encryption"]),
  port: z.int(),
  ca: z.string(),
  vapid: z.object({ publicKey: z.string(), privateKey: z.string(), subject: z.string() }),
  message: z.string(),
  targets: z.array(z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() })),
});
export type Setup = z.infer<typeof Setup>;
export const SenderMessage = z.union([z.object({ setup: Setup }), z.object({ send: z.int() })]);

/** The number of messages, wall-clock and CPU time, and samples of the bodies. */
export const Measured = z.object({
  count: z.int(),
  wallMs: z.number(),
  cpuMs: z.number(),
  samples: z.array(Sample),
});
