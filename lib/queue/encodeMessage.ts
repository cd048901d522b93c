/**
 * The body of a message to the workers. It is apart from the schemas of messages, because each function has a queue and
 * few read a message (docs/decisions/0021-lazy-loading.md).
 */
import type { QueueMessage } from "./messages.ts";

/** Writes the body of a message. */
export const encodeMessage = (message: QueueMessage): string => {
  switch (message.kind) {
    case "plan_broadcast":
      return JSON.stringify({ ...message, kind: "spread" });
    case "sweep":
      return JSON.stringify({ kind: message.kind, baton: message.fencingToken });
    default:
      return JSON.stringify(message);
  }
};
