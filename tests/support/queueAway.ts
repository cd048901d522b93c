/** A queue that can be unavailable. */
import type { Queue } from "../../lib/queue/queue.ts";

/** The usual queue while it is available; otherwise sending throws. */
export const queueWhile = (usual: Queue, isAvailable: () => boolean): Queue => ({
  async send(messages) {
    if (!isAvailable()) throw new Error("the queue is away");
    await usual.send(messages);
  },
});
