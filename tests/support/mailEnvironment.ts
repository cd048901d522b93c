/** A test environment that sends mail to a real server, with the workers of stream and queue, in virtual time. */

import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { afterEach, beforeEach } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { handler as deliverHandler } from "../../functions/notifications/deliver.ts";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import type { MailSettings } from "../../lib/mail/settings.ts";
import { encodeMessage } from "../../lib/queue/encodeMessage.ts";
import type { Outbound } from "../../lib/queue/queue.ts";
import { keys } from "../../lib/store/keys.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { asWorker, recordedQueue, withRecordedKeys } from "./calls.ts";
import { type TestPlayer, testEnvironment } from "./service.ts";
import { smtpServer } from "./smtpServer.ts";
import { sqsEvent } from "./sqsEvent.ts";
import { streamRecords } from "./streamRecords.ts";

/** The address of the pages of the tests' deployment. */
export const PAGES = "https://game.example.org";

/** How long a message may take: a busy machine is no server that hangs. No test waits for it. */
const PATIENT_MS = 5 * SECOND;

/** How many messages the workers of the queue take at once: two batches of four. */
const AT_ONCE = 8;

/** @param settings that replace those of the tests, such as the server */
export const mailEnvironment = (settings: Partial<MailSettings> = {}) => {
  const server = smtpServer();
  const waiting: { body: string; due: number }[] = [];
  const changed: {
    settings: Partial<MailSettings>;
    worker?: ((event: SQSEvent) => Promise<SQSBatchResponse>) | undefined;
  } = { settings: {} };
  const mail = (): MailSettings => ({
    url: { given: [`smtp://127.0.0.1:${server().port}`] },
    from: "game@example.org",
    publicUrl: PAGES,
    perMinute: 60_000,
    timeoutMs: PATIENT_MS,
    ...settings,
    ...changed.settings,
  });
  const send = async (messages: readonly Outbound[]): Promise<void> => {
    for (const { message, delay = 0 } of messages)
      waiting.push({ body: encodeMessage(message), due: s.now + Math.max(0, delay) });
  };
  const s = testEnvironment({
    services: (usual) => withRecordedKeys({ ...usual, queue: recordedQueue({ send }), mail: mail() }),
  });
  const announced = new Set<string>();
  beforeEach(() => {
    waiting.length = 0;
    announced.clear();
  });
  afterEach(() => {
    changed.settings = {};
    changed.worker = undefined;
  });
  const announce = asWorker("announce", announceHandler);
  const deliver = asWorker("deliver", deliverHandler);
  const here = (event: SQSEvent, timeLeft = MINUTE): Promise<SQSBatchResponse> =>
    deliver.on(s.services)(
      event,
      lambdaContext(() => timeLeft),
    );

  /** Passes what the stream has not delivered yet to its worker. */
  const readStream = async (): Promise<void> => {
    const records = (await streamRecords(s)).filter(({ dynamodb }) => {
      const id = dynamodb?.SequenceNumber ?? "";
      return announced.has(id) ? false : announced.add(id);
    });
    await announce.on(s.services)({ Records: records }, lambdaContext());
  };

  /** Passes messages to the worker of the queue. Failed ones are due again after their visibility timeout. */
  const takeDue = async (): Promise<void> => {
    waiting.sort((one, other) => one.due - other.due);
    const taken = waiting.splice(0, waiting.filter(({ due }) => due <= s.now).slice(0, AT_ONCE).length);
    const event = sqsEvent(...taken.map(({ body }) => body));
    const { batchItemFailures } = await (changed.worker ?? here)(event);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    event.Records.forEach(({ messageId }, index) => {
      const one = taken[index];
      if (failed.has(messageId) && one !== undefined)
        waiting.push({ body: one.body, due: s.now + 6 * MINUTE });
    });
  };

  return {
    s,
    server,
    waiting,
    readStream,
    send,
    /** Gives a player an address, confirmed by default. */
    giveAddress: async ({ id, alias }: TestPlayer, isConfirmed = true): Promise<void> => {
      const { rev = 0 } = (await s.store.player(id)) ?? {};
      const to = {
        email: `${alias.toLowerCase()}@example.com`,
        email_confirmed: isConfirmed ? true : undefined,
      };
      await s.store.commit([{ set: keys.player(id), to, by: { rev: 1 }, expect: { rev } }], () => 10_000);
    },
    /** Processes messages as the usual worker of the queue. @param timeLeft of its invocation, in milliseconds */
    deliver: here,
    /** Lets another worker process the messages of the queue, or again the usual one. */
    workBy: (worker?: (event: SQSEvent) => Promise<SQSBatchResponse>): void => {
      changed.worker = worker;
    },
    /** Replaces settings for the rest of the test. */
    use: (more: Partial<MailSettings>): void => {
      changed.settings = more;
      Object.assign(s.services, { mail: mail() });
    },
    /** Reads the stream and processes the queue for a time, in milliseconds of the service's clock. */
    async work(forMs = 0): Promise<void> {
      await readStream();
      const until = s.now + forMs;
      for (;;) {
        const next = Math.min(...waiting.map(({ due }) => due));
        // The real clock goes on meanwhile.
        if (next > Math.max(until, s.now)) break;
        if (next > s.now) s.now = next;
        await takeDue();
      }
      if (s.now < until) s.now = until;
    },
  };
};
