/** A queue that a story takes away for a while. */
import type { Queue } from "../../lib/queue/queue.ts";

/** The usual queue while it is there; what is put on it otherwise is refused. */
export const queueWhile = (usual: Queue, isThere: () => boolean): Queue => ({
  async send(messages) {
    if (!isThere()) throw new Error("the queue is away");
    await usual.send(messages);
  },
});
