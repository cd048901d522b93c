/**
 * Encodes messages to the workers. This is not in the file with the schemas of messages, because every function can
 * send messages, but few read them (docs/decisions/0021-lazy-loading.md).
 */
import type { QueueMessage } from "./messages.ts";

/** Returns the body of a message. */
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
