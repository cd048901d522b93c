/** The queues on this machine: fauxqs in this process, made from the very definition that is deployed. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import { parse } from "yaml";
import * as z from "zod/mini";
// Past the package's exports: what these make is what its own `startFauxqs` makes too, but that one listens on every
// interface of the machine.
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

/** What of `resources/queue.yml` is needed here. */
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
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the framework's own
  const placeholder = "${self:custom.table}";
  const text = await readFile(join(ROOT, "resources/queue.yml"), "utf8");
  // CloudFormation's own tags are read as the words behind them.
  return Definition.parse(parse(text.replaceAll(placeholder, table), { logLevel: "error" }));
};

const attributesOf = ({ QueueName: _, ...attributes }: z.infer<typeof Settable>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));

/** A message as it lies on a queue. */
export interface QueuedMessage {
  id: string;
  body: string;
  state: "ready" | "delayed" | "in flight" | "dead";
  /** How often it has been received. */
  receives: number;
  /** When it can be received, in milliseconds since 1970. */
  due: number;
}

export interface LocalQueue {
  readonly url: string;
  readonly deadLetters: string;
  /** Where its service answers. */
  readonly endpoint: string;
  /** All that lies on it and among its dead letters. */
  inspect(): QueuedMessage[];
  /** Makes everything due now: what is held back, and what was received and not deleted. */
  hurry(): void;
  /** Answers at once whoever waits for a message. */
  wake(): void;
  /** Ends it; harmless twice. What lies on it is kept, if it has a folder. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  /** The table, after which the queues are named as in a deployment. */
  table: string;
  region: string;
  /** Where what lies on them is kept; nowhere without. */
  folder?: string;
  /** Another visibility timeout than the deployed one, in seconds. */
  visibility?: number;
}

/** The store, with what was kept in the folder. @throws UserError when the folder cannot be used */
const openStore = (folder: string | undefined): { store: SqsStore; close: () => void } => {
  const store = new SqsStore();
  if (folder === undefined) return { store, close: () => {} };
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const kept = new PersistenceManager(folder);
    kept.loadSqsAndSns(store, new SnsStore());
    makePrivate([folder]);
    // Only now, or what is read would be written again.
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
 * Whether a request comes from a process that was told the endpoint, whose path begins with a secret. No browser is, and
 * only browsers send `Origin`. The secret is taken off the request's path.
 */
const isTrusted = (request: IncomingMessage, secret: string): boolean => {
  const [, first = "", ...rest] = (request.url ?? "").split("/");
  if (first !== secret || request.headers.origin !== undefined) return false;
  request.url = `/${rest.join("/")}`;
  return true;
};

/**
 * Makes the queues and answers for them, on loopback alone, to those who know the secret in the endpoint's path.
 * @throws UserError when what was kept of them cannot be read
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
    // Making it anew would throw away what lies on it.
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
