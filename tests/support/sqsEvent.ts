/** What SQS hands to a worker. */
import type { SQSEvent } from "aws-lambda";
import { encodeMessage, type QueueMessage } from "../../lib/queue/messages.ts";

/** An event with these messages, valid or not, whose ids are their places; a text is a body. */
export const sqsEvent = (...messages: unknown[]): SQSEvent => ({
  Records: messages.map((message, n) => ({
    messageId: `message ${n}`,
    receiptHandle: "x",
    body: typeof message === "string" ? message : encodeMessage(message as QueueMessage),
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "0",
      SenderId: "x",
      ApproximateFirstReceiveTimestamp: "0",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:local:000000000000:queue",
    awsRegion: "local",
  })),
});
