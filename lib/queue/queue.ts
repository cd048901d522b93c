/** The queue of background work: Amazon SQS or a compatible service. */
import type { SendMessageBatchCommandInput } from "@aws-sdk/client-sqs";
import { SECOND } from "../domain/time.ts";
import { clientSettings } from "../runtime/awsClient.ts";
import { chunk } from "../runtime/chunk.ts";
import { encodeMessage } from "./encodeMessage.ts";
import type { QueueMessage } from "./messages.ts";

/** A message, and its delay in milliseconds. */
export interface Outbound {
  message: QueueMessage;
  delay?: number;
}

export interface Queue {
  /** Queues all messages. @throws Error if not all are accepted; some may be queued then */
  send: (messages: readonly Outbound[]) => Promise<void>;
}

/** The limit of SQS. */
const BATCH_SIZE = 10;
/** The limit of SQS. A worker that receives a message too early queues it again. */
export const MAX_DELAY_SECONDS = 900;
const MAX_ATTEMPTS = 3;

const delaySeconds = (delay: number): number =>
  Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay / SECOND)));

/** The queue of a deployment without one: sending fails. */
export const noQueue: Queue = {
  send: async (messages) => {
    if (messages.length > 0) throw new Error("this deployment has no queue (QUEUE_URL)");
  },
};

/**
 * Opens a queue.
 * @param options.endpoint an endpoint other than the region's own, which accepts any credentials
 */
export const openQueue = (options: { url: string; endpoint?: string | undefined }): Queue => {
  const { url, endpoint } = options;
  const open = async () => {
    // Imported on demand: most functions never send messages.
    const { SQSClient, SendMessageBatchCommand } = await import("@aws-sdk/client-sqs");
    const client = new SQSClient({
      ...clientSettings(endpoint),
      ...(endpoint === undefined ? {} : { useQueueUrlAsEndpoint: false }),
    });
    return (entries: NonNullable<SendMessageBatchCommandInput["Entries"]>) =>
      client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: entries }));
  };
  let opened: ReturnType<typeof open> | undefined;

  const sendBatch = async (batch: readonly Outbound[]): Promise<void> => {
    let rest = batch.map(({ message, delay = 0 }, at) => ({
      Id: String(at),
      MessageBody: encodeMessage(message),
      DelaySeconds: delaySeconds(delay),
    }));
    opened ??= open();
    const put = await opened;
    for (let tries = 0; tries < MAX_ATTEMPTS && rest.length > 0; tries += 1) {
      const { Failed = [] } = await put(rest);
      const failed = new Set(Failed.map(({ Id }) => Id));
      rest = rest.filter(({ Id }) => failed.has(Id));
    }
    if (rest.length > 0) throw new Error("the queue did not accept all messages");
  };

  return {
    send: async (messages) => {
      for (const batch of chunk(messages, BATCH_SIZE)) await sendBatch(batch);
    },
  };
};
