/**
 * Polls the queue for a worker as Lambda does, with batches and partial failures. The queue itself handles retries.
 */
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSEvent, SQSRecord } from "aws-lambda";
import { type Invoke, parseFailedIds } from "./invocation.ts";

/** The queue, and how a worker receives from it. */
export interface QueuePlace {
  url: string;
  /** Overrides the endpoint of the region. */
  endpoint?: string | undefined;
  region: string;
  batchSize: number;
  /** Whether the worker reports partial failures; otherwise its response is ignored. */
  reportsFailures: boolean;
}

export interface QueueSource {
  /**
   * Receives a batch, invokes the worker, and deletes the messages that did not fail.
   * @param wait how long to wait for a first message, in whole seconds
   * @returns the number of messages
   * @throws Error if the queue cannot be reached
   */
  takeBatch(invoke: Invoke, wait?: number): Promise<number>;
  close(): void;
}

const attributesOf = ({ MessageAttributes = {} }: Message): SQSRecord["messageAttributes"] =>
  Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue, BinaryValue, DataType = "" }]) => [
      name,
      {
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );

const recordOf = (message: Message, arn: string, awsRegion: string): SQSRecord => {
  const {
    SenderId = "",
    SentTimestamp = "",
    ApproximateReceiveCount = "",
    ApproximateFirstReceiveTimestamp = "",
  } = message.Attributes ?? {};
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: { ApproximateReceiveCount, SentTimestamp, SenderId, ApproximateFirstReceiveTimestamp },
    messageAttributes: attributesOf(message),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: arn,
    awsRegion,
  };
};

/** Opens a queue for polling. */
export const openQueueSource = ({ url, endpoint, region, ...source }: QueuePlace): QueueSource => {
  const client = new SQSClient({
    region,
    maxAttempts: 2,
    ...(endpoint === undefined
      ? {}
      : {
          endpoint,
          useQueueUrlAsEndpoint: false,
          credentials: { accessKeyId: "local", secretAccessKey: "local" },
        }),
  });
  let arn: string | undefined;

  const findArn = async (): Promise<string> => {
    const attributes = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
    return (await client.send(attributes)).Attributes?.QueueArn ?? "";
  };

  const remove = async (records: readonly SQSRecord[]): Promise<void> => {
    if (records.length === 0) return;
    const Entries = records.map(({ receiptHandle }, at) => ({ Id: `${at}`, ReceiptHandle: receiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  };

  const failedIds = async (invoke: Invoke, event: SQSEvent): Promise<Set<string>> => {
    const ids = event.Records.map(({ messageId }) => messageId);
    try {
      const answer = await invoke(event);
      return source.reportsFailures ? parseFailedIds(answer, ids) : new Set();
    } catch {
      return new Set(ids);
    }
  };

  return {
    async takeBatch(invoke, wait = 0) {
      arn ??= await findArn();
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: Math.min(10, source.batchSize),
          WaitTimeSeconds: wait,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
      );
      if (Messages.length === 0) return 0;
      const from = arn;
      const event: SQSEvent = { Records: Messages.map((message) => recordOf(message, from, region)) };
      const failed = await failedIds(invoke, event);
      await remove(event.Records.filter(({ messageId }) => !failed.has(messageId)));
      return Messages.length;
    },
    close: () => client.destroy(),
  };
};
