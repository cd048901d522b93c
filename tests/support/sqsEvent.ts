/** Events of SQS, as Lambda passes them to a worker. */
import type { SQSEvent, SQSRecord } from "aws-lambda";
import { encodeMessage } from "../../lib/queue/encodeMessage.ts";
import type { QueueMessage } from "../../lib/queue/messages.ts";

/** An event with these messages, valid or not. A text is used as a body; the ids are numbered from 0. */
export const sqsEvent = (...messages: unknown[]): SQSEvent => ({
  Records: messages.map((message, n) => {
    const body = typeof message === "string" ? message : encodeMessage(message as QueueMessage);
    // The worker reads nothing else of a record.
    return { messageId: `message ${n}`, body } as SQSRecord;
  }),
});
