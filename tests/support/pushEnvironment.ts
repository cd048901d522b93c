/** A test environment with a push service, and the workers of queue and stream. */
import type { DynamoDBRecord, SQSBatchResponse } from "aws-lambda";
import { beforeEach } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { handler } from "../../functions/notifications/deliver.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { asWorker } from "./calls.ts";
import { trustedPushService } from "./pushService.ts";
import { type Result, type TestPlayer, testEnvironment } from "./service.ts";
import { sqsEvent } from "./sqsEvent.ts";
import { streamRecords } from "./streamRecords.ts";
import { fillSubscriptions } from "./subscribers.ts";
import { type Browser, makeBrowser } from "./webPush.ts";

const worker = asWorker("deliver", handler);
const streamWorker = asWorker("announce", announceHandler);

/** A notification as game masters send it. */
export const NEWS = { title: "Curfew", content: "Be at the bridge\nby nine.", player_groups: "All" };

/** A push environment for the tests of a file. @param given the time at which its clock stands, if it shall */
export const pushEnvironment = (given: { at?: number } = {}) => {
  const push = trustedPushService();
  const s = testEnvironment({
    ...given,
    services: (usual) => ({ ...push.services(usual), retryPauseMs: 20 }),
  });
  const announced = new Set<string>();
  beforeEach(() => announced.clear());
  /** Passes records to the worker of the stream. */
  const announceRecords = (Records: DynamoDBRecord[]) =>
    streamWorker.on(s.services)({ Records }, lambdaContext());
  /** The body with which a browser subscribes. @param path the path of its endpoint at the push service */
  const requestFor = (path: string, { p256dh, auth }: Pick<Browser, "p256dh" | "auth"> = makeBrowser()) => ({
    endpoint: `${push.current().origin}${path}`,
    ...{ p256dh, auth },
  });
  return {
    s,
    push: push.current,
    /** The paths of the endpoints to which pushes were sent, sorted. */
    pathsPushed: (): string[] =>
      push
        .current()
        .received()
        .map(({ path }) => path)
        .toSorted(),
    /** Sweeps, and works off the queue. */
    async sweepAndWork(): Promise<void> {
      await s.sweep();
      await s.work({ hurry: true });
    },
    requestFor,
    announceRecords,
    /** Subscribes a browser of a player. */
    async subscribe(as: TestPlayer, path: string): Promise<Browser> {
      const browser = makeBrowser();
      await s.must("POST /notifications/subscribe/{url_id}", { as, body: requestFor(path, browser) });
      return browser;
    },
    /** Puts subscriptions of a player straight into the table. Their paths are numbers, beginning with `from`. */
    fillFor({ id: playerId }: TestPlayer, count: number, from = 0): Promise<void> {
      const wanted = Array.from({ length: count }, (_, n) => ({ playerId, path: `/${from + n}` }));
      return fillSubscriptions(s.place(), push.current().origin, wanted);
    },
    /** Passes the stream worker the records since the last call. @param times how often the worker gets them */
    async announce(times = 1): Promise<void> {
      const records = await streamRecords(s);
      const Records = records.filter(({ dynamodb }) => !announced.has(dynamodb?.SequenceNumber ?? ""));
      for (const { dynamodb } of Records) announced.add(dynamodb?.SequenceNumber ?? "");
      for (let n = 0; n < times; n += 1) await announceRecords(Records);
    },
    /** Passes messages of the queue to the worker. */
    deliver: (...messages: unknown[]): Promise<SQSBatchResponse> =>
      worker.on(s.services)(sqsEvent(...messages), lambdaContext(s.timeLeft ?? (() => 60_000))),
    send: (as: TestPlayer, key?: string, body: unknown = NEWS): Promise<Result> =>
      s.call("POST /notifications/send/{url_id}", { as, body, key }),
    /** The status of a notification. */
    statusOf: async (as: TestPlayer, notification_id: string): Promise<Result["body"]> =>
      (await s.must("GET /notifications/status/{url_id}", { as, query: { notification_id } })).body,
  };
};
