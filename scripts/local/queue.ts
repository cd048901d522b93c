/** Serves the local queue to the functions, which send to it as to SQS. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod/mini";
import { HOST } from "../cli/ports.ts";
import { messageOf } from "../cli/userError.ts";
import { type Backlog, openBacklog } from "./backlog.ts";

const SECOND_MS = 1_000;
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
const MAX_ENTRIES = 10;
const MAX_DELAY_SECONDS = 900;
const MAX_BATCH_BYTES = 1_048_576;

const Entry = z.object({
  Id: z.string(),
  MessageBody: z.string().check(z.minLength(1)),
  DelaySeconds: z._default(z.int().check(z.minimum(0), z.maximum(MAX_DELAY_SECONDS)), 0),
});
const Batch = z.object({ Entries: z.array(Entry).check(z.minLength(1), z.maxLength(MAX_ENTRIES)) });

/**
 * Stores the messages of a `SendMessageBatch` request.
 * @returns the response
 * @throws Error if SQS would refuse the request; no message is stored then
 */
export const sendBatch = (backlog: Pick<Backlog, "send">, request: unknown): object => {
  const { Entries } = Batch.parse(request);
  const bytes = Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
  if (bytes > MAX_BATCH_BYTES)
    throw new Error(`BatchRequestTooLong: the messages have ${bytes} bytes, more than ${MAX_BATCH_BYTES}`);
  const Successful = Entries.map(({ Id, MessageBody, DelaySeconds }) => ({
    Id,
    MessageId: backlog.send(MessageBody, DelaySeconds * SECOND_MS),
    // The client compares it.
    MD5OfMessageBody: createHash("md5").update(MessageBody).digest("hex"),
  }));
  return { Successful, Failed: [] };
};

export interface LocalQueue {
  readonly backlog: Backlog;
  /** The settings with which functions reach it. */
  readonly settings: { QUEUE_URL: string; QUEUE_ENDPOINT: string };
  /** Stops serving; idempotent. */
  stop(): Promise<void>;
}

/**
 * Opens a queue and serves it on loopback, for requests with the secret of its endpoint that are not from a browser.
 * @param file the file of the backlog, `:memory:` for none
 * @throws UserError if the file cannot be used
 */
export const startQueue = async (file: string): Promise<LocalQueue> => {
  const backlog = openBacklog(file);
  const secret = `/${randomBytes(16).toString("hex")}`;
  const isTrusted = ({ url, headers }: IncomingMessage): boolean =>
    (url === secret || url === `${secret}/`) && headers.origin === undefined;
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
    };
    if (!isTrusted(request)) return reply(403, {});
    try {
      if (request.headers["x-amz-target"] !== "AmazonSQS.SendMessageBatch")
        throw new Error("the local queue has no such action");
      reply(200, sendBatch(backlog, await json(request)));
    } catch (error) {
      reply(400, { __type: "InvalidParameterValue", message: messageOf(error) });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, HOST, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the queue has no port");
  const endpoint = `http://${HOST}:${address.port}${secret}`;
  return {
    backlog,
    settings: { QUEUE_URL: `${endpoint}/local`, QUEUE_ENDPOINT: endpoint },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      backlog.close();
    },
  };
};
