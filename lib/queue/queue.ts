/** The queue between what happens and what is pushed: Amazon SQS, or what speaks its language. */
import type { SendMessageBatchCommandInput } from "@aws-sdk/client-sqs";
import { SECOND } from "../domain/time.ts";
import { clientSettings } from "../runtime/awsClient.ts";
import { chunk } from "../runtime/chunk.ts";
import type { QueueMessage } from "./messages.ts";

/** A message, and how long it is to be held back; milliseconds. */
export interface Outbound {
  message: QueueMessage;
  delay?: number;
}

export interface Queue {
  /** Puts messages on the queue, all of them. @throws Error when it does not take them; some may be on it then */
  send: (messages: readonly Outbound[]) => Promise<void>;
}

/** SQS takes this many in a call. */
const MOST_AT_ONCE = 10;
/** No message is held back for longer; whoever gets one too early sends it on. In seconds. */
export const MAX_DELAY_SECONDS = 900;
const TRIES = 3;

const delaySeconds = (delay: number): number =>
  Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay / SECOND)));

/** The queue of a deployment that has none: nothing can be put off. */
export const noQueue: Queue = {
  send: async (messages) => {
    if (messages.length > 0) throw new Error("this deployment has no queue (QUEUE_URL)");
  },
};

/**
 * Opens a queue.
 * @param options.endpoint another endpoint than the region's own, for which any credentials do
 */
export const openQueue = (options: { url: string; endpoint?: string | undefined }): Queue => {
  const { url, endpoint } = options;
  const open = async () => {
    // Loaded by whoever puts something on the queue: most functions never do.
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
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds(delay),
    }));
    opened ??= open();
    const put = await opened;
    for (let tries = 0; tries < TRIES && rest.length > 0; tries += 1) {
      const { Failed = [] } = await put(rest);
      const failed = new Set(Failed.map(({ Id }) => Id));
      rest = rest.filter(({ Id }) => failed.has(Id));
    }
    if (rest.length > 0) throw new Error("the queue does not take every message");
  };

  return {
    send: async (messages) => {
      for (const batch of chunk(messages, MOST_AT_ONCE)) await sendBatch(batch);
    },
  };
};
