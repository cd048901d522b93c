/** A test environment with a push service, whose clock, queue and database a test can disturb. */
import type { SQSBatchResponse } from "aws-lambda";
import { beforeEach, expect } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { handler } from "../../functions/notifications/deliver.ts";
import { keyOfWrite } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { asWorker } from "./calls.ts";
import { type PushService, trustedPushService } from "./pushService.ts";
import { queueWhile } from "./queueAway.ts";
import { type Result, type TestEnvironment, type TestPlayer, testEnvironment } from "./service.ts";
import { sqsEvent } from "./sqsEvent.ts";
import { streamRecords } from "./streamRecords.ts";
import { fillSubscriptions } from "./subscribers.ts";
import { type Browser, makeBrowser } from "./webPush.ts";

const worker = asWorker("deliver", handler);
const streamWorker = asWorker("announce", announceHandler);

/** A notification as game masters send it. */
export const NEWS = { title: "Curfew", content: "Be at the bridge\nby nine.", player_groups: "All" };

/** What a test may change; as here before each test. */
const undisturbed = () => ({
  /** How far the service's clock is ahead, in milliseconds. */
  passed: 0,
  hasQueue: true,
  /** What Lambda reports is left of the time of `deliver`, in milliseconds. */
  timeLeft: 60_000,
  /** Called before each call of the database, with the partition alone for a query; may throw, or hold it up. */
  beforeCall: (_call: "get" | "query" | "transact", _keys: readonly Key[]): Promise<void> | void => {},
});

export interface PushEnvironment {
  s: TestEnvironment;
  push: () => PushService;
  disturbed: ReturnType<typeof undisturbed>;
  /** What a browser sends to subscribe, by a path of its own. */
  requestFor: (path: string, browser?: Browser) => { endpoint: string; p256dh: string; auth: string };
  /** Subscribes a browser of a player. */
  subscribe: (as: TestPlayer, path: string) => Promise<Browser>;
  /** Puts subscriptions of a player straight into the table, with paths from `/from` on. */
  fillFor: (player: TestPlayer, count: number, from?: number) => Promise<void>;
  /** Passes what was recorded since the last call to the worker of the stream, which may get it several times. */
  announce: (times?: number) => Promise<void>;
  /** Passes messages of the queue to the worker. */
  deliver: (...messages: unknown[]) => Promise<SQSBatchResponse>;
  send: (as: TestPlayer, key?: string, body?: unknown) => Promise<Result>;
  /** The status of a notification. */
  statusOf: (as: TestPlayer, notification_id: string) => Promise<Result["body"]>;
}

/** A push environment for the tests of a file. */
export const pushEnvironment = (): PushEnvironment => {
  const push = trustedPushService();
  const disturbed = undisturbed();
  beforeEach(() => {
    Object.assign(disturbed, undisturbed());
  });
  const s = testEnvironment({
    services: (usual) => ({
      ...push.services(usual),
      clock: () => usual.clock() + disturbed.passed,
      retryPauseMs: 20,
      queue: queueWhile(usual.queue, () => disturbed.hasQueue),
    }),
    database: (usual) => ({
      ...usual,
      async get(key, options) {
        await disturbed.beforeCall("get", [key]);
        return usual.get(key, options);
      },
      async query(range, limit, from) {
        await disturbed.beforeCall("query", [{ pk: range.pk, sk: "" }]);
        return usual.query(range, limit, from);
      },
      async transact(writes, token) {
        await disturbed.beforeCall("transact", writes.map(keyOfWrite));
        await usual.transact(writes, token);
      },
    }),
  });

  const announced = new Set<string>();
  const requestFor: PushEnvironment["requestFor"] = (path, { p256dh, auth } = makeBrowser()) => ({
    endpoint: `${push.current().origin}${path}`,
    p256dh,
    auth,
  });
  return {
    s,
    push: push.current,
    disturbed,
    requestFor,
    async subscribe(as, path) {
      const browser = makeBrowser();
      const body = requestFor(path, browser);
      await s.must("POST /notifications/subscribe/{url_id}", { as, body });
      return browser;
    },
    fillFor: ({ id: playerId }, count, from = 0) => {
      const wanted = Array.from({ length: count }, (_, n) => ({ playerId, path: `/${from + n}` }));
      return fillSubscriptions(s.place(), push.current().origin, wanted);
    },
    async announce(times = 1) {
      const records = await streamRecords(s);
      const Records = records.filter(({ dynamodb }) => !announced.has(dynamodb?.SequenceNumber ?? ""));
      for (const { dynamodb } of Records) announced.add(dynamodb?.SequenceNumber ?? "");
      for (let n = 0; n < times; n += 1) await streamWorker.on(s.services)({ Records }, lambdaContext());
    },
    deliver: (...messages) =>
      worker.on(s.services)(
        sqsEvent(...messages),
        lambdaContext(() => disturbed.timeLeft),
      ),
    send: (as, key, body = NEWS) => s.call("POST /notifications/send/{url_id}", { as, body, key }),
    async statusOf(as, notification_id) {
      const query = { notification_id };
      const result = await s.call("GET /notifications/status/{url_id}", { as, query });
      expect(result.status, result.text).toBe(200);
      return result.body;
    },
  };
};
