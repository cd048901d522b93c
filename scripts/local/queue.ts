/** The local queues: fauxqs in this process, created from the deployed definition. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import { parse } from "yaml";
import * as z from "zod/mini";
// The package does not export these files. Its own `startFauxqs` listens on all interfaces.
import { PersistenceManager } from "../../node_modules/fauxqs/dist/persistence.js";
import { S3Store } from "../../node_modules/fauxqs/dist/s3/s3Store.js";
import { SnsStore } from "../../node_modules/fauxqs/dist/sns/snsStore.js";
import { SqsStore } from "../../node_modules/fauxqs/dist/sqs/sqsStore.js";
import { HOST } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { makePrivate, PRIVATE_FOLDER_MODE } from "./privateFiles.ts";

const ACCOUNT = "000000000000";

const Settable = z.object({
  QueueName: z.string(),
  VisibilityTimeout: z.optional(z.int()),
  MessageRetentionPeriod: z.int(),
  SqsManagedSseEnabled: z.boolean(),
});

/** The parts of `resources/queue.yml` that are used here. */
const Definition = z.object({
  Queue: z.object({
    Properties: z.extend(Settable, {
      RedrivePolicy: z.object({
        deadLetterTargetArn: z.literal("DeadLetters.Arn"),
        maxReceiveCount: z.int(),
      }),
    }),
  }),
  DeadLetters: z.object({ Properties: Settable }),
});

const readDefinition = async (table: string): Promise<z.infer<typeof Definition>> => {
  const text = await readFile(join(ROOT, "resources/queue.yml"), "utf8");
  // CloudFormation's tags are parsed as plain strings.
  return Definition.parse(parse(text.replaceAll(/\$\{self:custom\.table\}/g, table), { logLevel: "error" }));
};

const attributesOf = ({ QueueName: _, ...attributes }: z.infer<typeof Settable>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));

/** A message in a queue. */
export interface QueuedMessage {
  id: string;
  body: string;
  state: "ready" | "delayed" | "in flight" | "dead";
  /** How often it was received. */
  receives: number;
  /** When it can be received, in milliseconds since 1970. */
  due: number;
}

export interface LocalQueue {
  readonly url: string;
  readonly deadLetters: string;
  /** The URL of the SQS service. */
  readonly endpoint: string;
  /** Returns all messages, including the dead-letter queue. */
  inspect(): QueuedMessage[];
  /** Makes all delayed and in-flight messages available now. */
  hurry(): void;
  /** Ends long polls immediately. */
  wake(): void;
  /** Stops the service; idempotent. Messages are kept if there is a folder. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  /** The table name, from which the queue names derive. */
  table: string;
  region: string;
  /** Where messages are stored; in memory if absent. */
  folder?: string;
  /** Overrides the visibility timeout, in seconds. */
  visibility?: number;
}

/** Opens the store with the messages of the folder. @throws UserError if the folder cannot be used */
const openStore = (folder: string | undefined): { store: SqsStore; close: () => void } => {
  const store = new SqsStore();
  if (folder === undefined) return { store, close: () => {} };
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const kept = new PersistenceManager(folder);
    kept.loadSqsAndSns(store, new SnsStore());
    makePrivate([folder]);
    // Set after loading, so that loaded messages are not written again.
    store.persistence = kept;
    for (const queue of store.allQueues()) queue.persistence = kept;
    return { store, close: () => kept.close() };
  } catch (error) {
    throw new UserError(
      `The queue in ${folder} cannot be opened: ${messageOf(error)}. Move that folder away.`,
    );
  }
};

/**
 * Whether a request has the secret in its path and is not from a browser, which would send `Origin`. Removes the secret
 * from the path.
 */
const isTrusted = (request: IncomingMessage, secret: string): boolean => {
  const [, first = "", ...rest] = (request.url ?? "").split("/");
  if (first !== secret || request.headers.origin !== undefined) return false;
  request.url = `/${rest.join("/")}`;
  return true;
};

/**
 * Creates the queues and serves them on loopback, for requests with the secret of the endpoint.
 * @throws UserError if the stored messages cannot be read
 */
export const startQueue = async (options: QueueOptions): Promise<LocalQueue> => {
  const { table, region, folder, visibility } = options;
  const { Queue, DeadLetters } = await readDefinition(table);
  const { store, close } = openStore(folder);
  const app = buildApp({
    logger: false,
    defaultRegion: region,
    stores: { sqsStore: store, snsStore: new SnsStore(), s3Store: new S3Store() },
  });
  await app.ready();
  const secret = randomBytes(16).toString("hex");
  const server = createServer((request, response) => {
    if (isTrusted(request, secret)) app.routing(request, response);
    else response.writeHead(403).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, HOST, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the queue has no port");
  const endpoint = `http://${HOST}:${address.port}/${secret}`;

  const make = (name: string, attributes: Record<string, string>): { url: string; arn: string } => {
    const url = `${endpoint}/${ACCOUNT}/${name}`;
    const arn = `arn:aws:sqs:${region}:${ACCOUNT}:${name}`;
    // Creating it again would delete its messages.
    const existing = store.getQueueByArn(arn);
    if (existing === undefined) store.createQueue(name, url, arn, attributes);
    else existing.setAttributes(attributes);
    return { url, arn };
  };
  const dead = make(DeadLetters.Properties.QueueName, attributesOf(DeadLetters.Properties));
  const { RedrivePolicy, ...properties } = Queue.Properties;
  const queue = make(properties.QueueName, {
    ...attributesOf(properties),
    ...(visibility === undefined ? {} : { VisibilityTimeout: String(visibility) }),
    RedrivePolicy: JSON.stringify({ ...RedrivePolicy, deadLetterTargetArn: dead.arn }),
  });

  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeAllConnections();
    await closed;
    await app.close();
    close();
  };
  let stopping: Promise<void> | undefined;

  const inspect = (): QueuedMessage[] => {
    const now = Date.now();
    const messages = store.getQueueByArn(queue.arn)?.inspectMessages();
    const buried = store.getQueueByArn(dead.arn)?.inspectMessages();
    type Message = NonNullable<typeof messages>["ready"][number];
    const lying = (message: Message, state: QueuedMessage["state"], due: number): QueuedMessage => ({
      id: message.messageId,
      body: message.body,
      state,
      receives: message.approximateReceiveCount,
      due,
    });
    return [
      ...(messages?.ready ?? []).map((message) => lying(message, "ready", now)),
      ...(messages?.delayed ?? []).map((message) => lying(message, "delayed", message.delayUntil ?? now)),
      ...(messages?.inflight ?? []).map((entry) =>
        lying(entry.message, "in flight", entry.visibilityDeadline),
      ),
      ...[...(buried?.ready ?? []), ...(buried?.inflight ?? []).map(({ message }) => message)].map(
        (message) => lying(message, "dead", now),
      ),
    ];
  };

  return {
    url: queue.url,
    deadLetters: dead.url,
    endpoint,
    inspect,
    hurry() {
      const { delayed, inflight } = store.getQueueByArn(queue.arn)?.inspectMessages() ?? {};
      for (const message of delayed ?? []) message.delayUntil = 0;
      for (const { receiptHandle } of inflight ?? []) {
        const entry = store.getQueueByArn(queue.arn)?.inflightMessages.get(receiptHandle);
        if (entry !== undefined) entry.visibilityDeadline = 0;
      }
    },
    wake: () => store.shutdown(),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
};
