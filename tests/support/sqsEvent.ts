/** What SQS hands to a worker. */
import { randomUUID } from "node:crypto";
import type { SQSEvent } from "aws-lambda";

/** An event with these messages; a text stands for itself, whatever it says. */
export const sqsEvent = (...messages: unknown[]): SQSEvent => ({
  Records: messages.map((message) => ({
    messageId: randomUUID(),
    receiptHandle: "x",
    body: typeof message === "string" ? message : JSON.stringify(message),
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
