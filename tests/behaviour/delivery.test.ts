/**
 * Delivery through the queue when things go wrong: duplicate messages, workers that die half-way, push services that are
 * busy or fail. Every subscription is counted once.
 */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { handler } from "../../functions/notifications/deliver.ts";
import { queuePages } from "../../lib/app/notifications/planBroadcast.ts";
import { DAY, SECOND } from "../../lib/domain/time.ts";
import type { QueueMessage } from "../../lib/queue/messages.ts";
import { PAGE_SIZE } from "../../lib/store/broadcasts.ts";
import { asWorker } from "../support/calls.ts";
import { lambdaContext } from "../support/context.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { queueWhile } from "../support/queueAway.ts";
import { QUICK, type Someone, testEnvironment } from "../support/service.ts";
import { sqsEvent } from "../support/sqsEvent.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { scan } from "../support/table.ts";

const deliver = asWorker("deliver", handler);

const push = trustedPushService();
let passed = 0;
let hasQueue = true;
/** Called before each transaction: may throw, or hold it up. */
let beforeWrite: (sks: readonly string[]) => Promise<void> | void = () => {};

const s = testEnvironment({
  services: (usual) => ({
    ...push.services(usual),
    clock: () => usual.clock() + passed,
    retryPause: 20,
    queue: queueWhile(usual.queue, () => hasQueue),
  }),
  database: (usual) => ({
    ...usual,
    async transact(writes, token) {
      await beforeWrite(writes.flatMap((write) => ("put" in write ? [write.put.sk] : [])));
      await usual.transact(writes, token);
    },
  }),
});

beforeEach(() => {
  passed = 0;
  hasQueue = true;
  beforeWrite = () => {};
});

const NEWS = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };

const send = async (as: Someone, key?: string) =>
  s.call("POST /notifications/send/{url_id}", { as, body: NEWS, ...(key === undefined ? {} : { key }) });

const statusOf = async (as: Someone, id: string) => {
  const query = { notification_id: id };
  const result = await s.call("GET /notifications/status/{url_id}", { as, query });
  expect(result.status, result.text).toBe(200);
  return result.body;
};

const subscribers = (playerId: string, count: number, from = 0): Promise<void> =>
  fillSubscriptions(
    s.place(),
    push.current().origin,
    Array.from({ length: count }, (_, n) => ({ playerId, path: `/${from + n}` })),
  );

/** How often each path was called. */
const calls = (): Map<string, number> => {
  const times = new Map<string, number>();
  for (const { path } of push.current().received()) times.set(path, (times.get(path) ?? 0) + 1);
  return times;
};

/**
 * Every path was called, and none again but under the same topic. On a busy machine a message may miss its deadline of
 * five seconds and be retried: it is sent at least once, and shows once.
 */
const expectAll = (paths: number): void => {
  expect(calls().size).toBe(paths);
  expect(topics()).toBe(1);
  expect(push.current().received().length).toBeLessThan(2 * paths);
};

const topics = (): number =>
  new Set(
    push
      .current()
      .received()
      .map(({ headers }) => headers.topic),
  ).size;

const work = (...messages: unknown[]) =>
  deliver.on(s.services)(
    sqsEvent(...messages),
    lambdaContext(() => 60_000),
  );

/** The messages of a kind on the queue. */
const waiting = async (kind: QueueMessage["kind"]) =>
  (await s.queued()).map(({ message }) => message).filter((message) => message.kind === kind);

/** Sends to many: the message that plans its pages is on the queue then. */
const planned = async (gm: Someone) => {
  const sent = await send(gm);
  expect(sent.status, sent.text).toBe(200);
  const [message] = await waiting("spread");
  return { id: sent.body.notification.notification_id, message };
};

describe("a page of a notification", () => {
  it("is counted once and pushed once, however often its message is received", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    const { id, message } = await planned(gm);
    await work(message);
    const [page] = await waiting("page");
    for (let n = 0; n < 3; n += 1) await work(page);
    await work(message);
    await s.work({ hurry: true });
    expect(await statusOf(gm, id)).toMatchObject({
      subscriptions: 250,
      sent: 250,
      queued: 0,
      complete: true,
    });
    expectAll(250);
    const ends = (await scan(s)).filter(({ action }) => action === "deliver");
    expect(ends).toHaveLength(1);
  });

  it("is counted once when three workers have it concurrently, and shows once", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    const { id, message } = await planned(gm);
    await work(message);
    const [page] = await waiting("page");
    const answers = await Promise.all([work(page), work(page), work(page)]);
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ batchItemFailures: [] })));
    expect(await statusOf(gm, id)).toMatchObject({
      subscriptions: 250,
      sent: 250,
      queued: 0,
      complete: true,
    });
    expect(topics()).toBe(1);
  });

  it("continues when the worker that wrote first died before it queued the rest", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    push.current().answer("/7", status(503));
    const { id, message } = await planned(gm);
    await work(message);
    const [page] = await waiting("page");
    // Both push, one writes; the one that wrote cannot put anything on the queue.
    let writes = 0;
    const first = Promise.withResolvers<void>();
    beforeWrite = async (sks) => {
      if (!sks.some((sk) => sk.startsWith("PAGE#"))) return;
      writes += 1;
      if (writes === 1) hasQueue = false;
      else await first.promise;
    };
    const both = [work(page), work(page)];
    await Promise.race(both);
    hasQueue = true;
    first.resolve();
    const failures = (await Promise.all(both)).map(({ batchItemFailures }) => batchItemFailures.length);
    expect(failures.toSorted()).toEqual([0, 1]);
    expect((await waiting("page")).filter(({ round }) => round === 1)).toHaveLength(1);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 249, queued: 1 });
  });

  it("is not lost when its worker dies before it has written its results", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    const { id, message } = await planned(gm);
    await work(message);
    const [page] = await waiting("page");
    beforeWrite = (sks) => {
      if (sks.some((sk) => sk.startsWith("PAGE#"))) throw new Error("killed");
    };
    const answer = await work(page, message);
    expect(answer.batchItemFailures).toHaveLength(1);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 0, queued: 250, complete: false });
    beforeWrite = () => {};
    await s.work({ hurry: true });
    expect(await statusOf(gm, id)).toMatchObject({ sent: 250, queued: 0, complete: true });
    expect(calls().size).toBe(250);
    expect(topics()).toBe(1);
  });

  it("continues from its results when its worker dies before it queued the rest", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    let requested = 0;
    push.current().answer("/7", (response) => {
      requested += 1;
      status(requested > 1 ? 201 : 503)(response);
    });
    const { id, message } = await planned(gm);
    await work(message);
    const [page] = await waiting("page");
    hasQueue = false;
    expect((await work(page)).batchItemFailures).toHaveLength(1);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 249, queued: 1, complete: false });
    hasQueue = true;
    await s.work({ hurry: true });
    expect(await statusOf(gm, id)).toMatchObject({ sent: 250, queued: 0, complete: true });
    // Nothing but what was left comes again; twice, because its message lay on the queue twice.
    expect(calls().get("/7")).toBeGreaterThanOrEqual(2);
    expect(calls().delete("/7")).toBe(true);
    expect([...calls()].filter(([path, times]) => path !== "/7" && times > 1)).toEqual([]);
    expect(topics()).toBe(1);
  });

  it("whose message is invalid is reported as failed; the rest of its batch is not", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 201);
    const { message } = await planned(gm);
    const event = sqsEvent("rubbish", message, { kind: "nonsense" }, { ...message, plan: "x" });
    const answer = await deliver.on(s.services)(
      event,
      lambdaContext(() => 60_000),
    );
    const failed = [0, 2, 3].map((n) => ({ itemIdentifier: event.Records[n]?.messageId }));
    expect(answer).toEqual({ batchItemFailures: failed });
    expect(await waiting("page")).toHaveLength(1);
  });

  it("reaches those who subscribe while it is planned, and leaves out those who unsubscribe", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribers(ada.id, 10);
    await subscribers(gm.id, 200, 10);
    const { id, message } = await planned(gm);
    await work(message);
    expect((await s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada })).status).toBe(204);
    await subscribers(gm.id, 3, 500);
    await s.work({ hurry: true });
    expect(await statusOf(gm, id)).toMatchObject({
      subscriptions: 203,
      sent: 203,
      queued: 0,
      complete: true,
    });
    expect(calls().has("/1")).toBe(false);
    expect(calls().has("/502")).toBe(true);
  });
});

describe("a broadcast", () => {
  it.skipIf(QUICK)("is planned by several workers where the time of one is too short", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 2 * PAGE_SIZE + 50);
    const sent = await send(gm);
    const id = sent.body.notification.notification_id;
    expect(sent.body).toMatchObject({ subscriptions: 2 * PAGE_SIZE + 50, queued: 2 * PAGE_SIZE + 50 });
    await s.work({ hurry: true });
    expect(await statusOf(gm, id)).toMatchObject({ sent: 2 * PAGE_SIZE + 50, queued: 0, complete: true });
    push.current().reset();

    const event = { id: randomUUID(), what: "resumed" as const, at: new Date().toISOString(), actor: gm.id };
    const run = { services: s.services, requestId: "x", timeLeft: () => 5 * SECOND };
    await queuePages(run, { event }, 0);
    const pages = await waiting("page");
    expect(pages).toHaveLength(1);
    expect(await waiting("spread")).toMatchObject([{ plan: 1 }]);
    await s.work({ hurry: true });
    expectAll(2 * PAGE_SIZE + 50);
  });
});

describe("a send to many", () => {
  it("that the queue rejects is a 500, and is delivered once on retry with its key", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 250);
    hasQueue = false;
    const first = await send(gm, "key");
    expect(first.status).toBe(500);
    expect(first.text).toMatch(/^The notification was saved but not sent: the queue did not accept it/);
    hasQueue = true;
    await subscribers(gm.id, 3, 900);
    const again = await send(gm, "key");
    expect(again.body, again.text).toMatchObject({ subscriptions: 250, queued: 250 });
    expect((await send(gm, "key")).body).toEqual(again.body);
    await s.work({ hurry: true });
    const id = again.body.notification.notification_id;
    expect(await statusOf(gm, id)).toMatchObject({
      subscriptions: 253,
      sent: 253,
      queued: 0,
      complete: true,
    });
    expectAll(253);
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("NOTIFICATIONS#"))).toHaveLength(1);
  });
});

describe("a send to a few", () => {
  it("counts as failed what it cannot write down or queue", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 2);
    push.current().answer("/1", status(503));
    beforeWrite = (sks) => {
      if (sks.some((sk) => sk.startsWith("PAGE#"))) throw new Error("the table is away");
    };
    const unwritten = await send(gm);
    expect(unwritten.body, unwritten.text).toMatchObject({ sent: 1, failed: 1, queued: 0 });
    beforeWrite = () => {};
    hasQueue = false;
    const unqueued = await send(gm);
    expect(unqueued.body, unqueued.text).toMatchObject({ sent: 1, failed: 1, queued: 0 });
    const final = await statusOf(gm, unqueued.body.notification.notification_id);
    expect(final).toMatchObject({ sent: 1, failed: 1, queued: 0, complete: true });
    expect(await s.queued()).toEqual([]);
  });
});

describe("a message that may be retried", () => {
  const alone = async (manner: Parameters<ReturnType<typeof push.current>["answer"]>[1]) => {
    const gm = await s.admin();
    await subscribers(gm.id, 1);
    push.current().answer("/0", manner);
    const sent = await send(gm);
    expect(sent.body, sent.text).toMatchObject({ subscriptions: 1 });
    return { gm, sent: sent.body, id: sent.body.notification.notification_id };
  };

  it("is retried five times, and then counts as failed", async () => {
    s.services.retryPauseMs = 1;
    const { gm, id, sent } = await alone(status(503));
    expect(sent).toMatchObject({ queued: 1, failed: 0 });
    await s.work({ hurry: true });

    expect(calls().get("/0")).toBe(6);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 0, failed: 1, queued: 0, complete: true });
    expect((await scan(s)).filter(({ action }) => action === "deliver")).toHaveLength(1);
  });

  it("waits longer each time, with random jitter", async () => {
    s.services.retryPauseMs = 2 * SECOND;
    const { id } = await alone(status(503));
    const waits: number[] = [];
    for (let round = 1; round <= 5; round += 1) {
      const page = (await waiting("page")).find((one) => one.round === round);
      const now = s.services.clock();
      waits.push(page.notBefore - now);
      passed += Math.max(0, page.notBefore - now);
      await work(page);
    }
    for (const [n, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(2 * SECOND * 4 ** n);
    // Five waits within the lowest twentieth have a chance of one in millions.
    expect(waits.some((wait, n) => wait > (2 * SECOND * 4 ** n) / 20)).toBe(true);
    expect(calls().get("/0")).toBe(6);
    expect(id).toBeDefined();
  });

  it.each([
    ["seven seconds", "7", 7 * SECOND],
    ["a quarter of an hour", "900", 900 * SECOND],
    ["two hours", "7200", 7_200 * SECOND],
  ])("is never sent before Retry-After: %s", async (_what, header, requested) => {
    const { gm, id } = await alone(status(429, { "retry-after": header }));
    const began = s.services.clock();
    const [lying] = await s.queued();
    if (lying === undefined) throw new Error("nothing is queued");
    const { message, due } = lying;
    expect(message.notBefore).toBeGreaterThanOrEqual(began + requested - 500);
    // SQS delays a message for a quarter of an hour at most: it is queued again until it is due.
    expect(due).toBeGreaterThanOrEqual(Date.now() + Math.min(requested, 900 * SECOND) - 1_500);
    push.current().answer("/0", status(201));
    for (let at = 0; at < 3; at += 1) {
      const early = (message.notBefore - s.services.clock()) / 2;
      if (early < 2 * SECOND) break;
      passed += early;
      await work(message);
      expect(calls().get("/0")).toBe(1);
    }
    passed += Math.max(0, message.notBefore - s.services.clock());
    await work(message);
    expect(calls().get("/0")).toBe(2);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 1, queued: 0, complete: true });
  });

  it("is abandoned after a day", async () => {
    const { gm, id } = await alone(status(429, { "retry-after": "3600" }));
    for (let hour = 0; hour < 30; hour += 1) {
      const page = (await waiting("page")).at(-1);
      passed = Math.max(passed, page.notBefore - Date.now());
      await work(page);
      if ((await statusOf(gm, id)).complete) break;
    }
    expect(await statusOf(gm, id)).toMatchObject({ failed: 1, queued: 0, complete: true });
    expect(passed).toBeLessThan(DAY);
  });
});
