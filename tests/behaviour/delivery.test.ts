/**
 * Delivery through the queue when things go wrong: duplicate messages, workers that run concurrently, push services that
 * are busy or fail. Every subscription is counted once. A worker that dies at any call of the database is in
 * `tests/battery/faults`.
 */
import { describe, expect, it } from "vitest";
import { planAndQueuePages } from "../../lib/app/notifications/planBroadcast.ts";
import { SECOND } from "../../lib/domain/time.ts";
import type { QueueMessage } from "../../lib/queue/messages.ts";
import { PAGE_SIZE } from "../../lib/store/notifications/broadcasts.ts";
import { notificationRecord } from "../../lib/store/notifications/notifications.ts";
import { FULL, IS_LARGE, share } from "../support/battery.ts";
import { logLines } from "../support/logLines.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { type Responder, status } from "../support/pushService.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import type { TestPlayer } from "../support/service.ts";
import { scan } from "../support/table.ts";

const { s, push, fillFor, send, statusOf, deliver } = pushEnvironment();

/** How often each path was called. */
const calls = (): Map<string, number> => {
  const byPath = Map.groupBy(push().received(), ({ path }) => path);
  return new Map([...byPath].map(([path, { length }]) => [path, length]));
};

/** Expects messages of one topic at every path. On a busy machine some miss their deadline and are sent again. */
const expectAll = (paths: number, times = 2): void => {
  const received = push().received();
  expect(calls().size).toBe(paths);
  expect(new Set(received.map(({ headers }) => headers.topic)).size).toBe(1);
  expect(received.length).toBeLessThan(times * paths);
};

/** The messages of a kind on the queue. */
const waiting = async (kind: QueueMessage["kind"]) =>
  (await s.queued()).map(({ message }) => message).filter((message) => message.kind === kind);

/** Expects that a notification was delivered to that many, and to nobody else. */
const expectSent = async (gm: TestPlayer, id: string, subscriptions: number): Promise<void> => {
  const expected = { subscriptions, sent: subscriptions, failed: 0, queued: 0, complete: true };
  expect(await statusOf(gm, id)).toMatchObject(expected);
};

/** The fewest subscriptions that one request leaves to the queue. */
const MANY = 201;

/** Sends to so many subscriptions that a message on the queue plans the pages. */
const planned = async () => {
  const gm = await s.admin();
  await fillFor(gm, MANY);
  const sent = await send(gm);
  expect(sent.body, sent.text).toMatchObject({ sent: 0, failed: 0, queued: sent.body?.subscriptions });
  const [message] = await waiting("plan_broadcast");
  return { gm, id: sent.body.notification.notification_id, message };
};

/** The same, after the plan: its first page is on the queue. */
const paged = async () => {
  const { message, ...rest } = await planned();
  await deliver(message);
  const [page] = await waiting("page");
  return { ...rest, message, page };
};

describe("a page of a notification", () => {
  it("is counted and logged once and sent under one topic, however often and concurrently its message is received", async () => {
    const { gm, id, message, page } = await paged();
    for (const answer of await Promise.all([deliver(page), deliver(page)]))
      expect(answer).toEqual({ batchItemFailures: [] });
    await deliver(page);
    await deliver(message);
    await s.work({ hurry: true });
    await expectSent(gm, id, MANY);
    expectAll(MANY, 5);
    expect((await scan(s)).filter(({ action }) => action === "deliver")).toHaveLength(1);
  });

  it("continues when a worker died after it had written the result, and before it queued the rest", async () => {
    push().answer("/7", status(503));
    const { gm, id, page } = await paged();
    s.hasQueue = false;
    expect((await deliver(page)).batchItemFailures).toHaveLength(1);
    s.hasQueue = true;
    expect((await deliver(page)).batchItemFailures).toEqual([]);
    expect((await waiting("page")).filter(({ round }) => round === 1)).toHaveLength(1);
    const { sent, queued } = await statusOf(gm, id);
    expect(queued).toBeGreaterThan(0);
    expect(sent + queued).toBe(MANY);
    push().answer("/7", status(200));
    await s.work({ hurry: true });
    await expectSent(gm, id, MANY);
  });

  it("whose message is invalid is reported as failed; the rest of its batch is not", async () => {
    const { message } = await planned();
    const answer = await deliver("rubbish", message, { kind: "nonsense" }, { ...message, plan: "x" });
    const failed = [0, 2, 3].map((n) => ({ itemIdentifier: `message ${n}` }));
    expect(answer).toEqual({ batchItemFailures: failed });
    expect(await waiting("page")).toHaveLength(1);
  });

  it("reaches those who subscribe while it is planned, and leaves out those who unsubscribe", async () => {
    const ada = await s.join("Ada");
    await fillFor(ada, 10, 900);
    const { gm, id, message } = await planned();
    await deliver(message);
    await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada });
    await fillFor(gm, 3, 500);
    await s.work({ hurry: true });
    await expectSent(gm, id, MANY + 3);
    expect(calls().has("/901")).toBe(false);
    expect(calls().has("/502")).toBe(true);
  });
});

/** Plans a broadcast to everybody, as a worker whose time is enough for one page. */
const planBroadcast = ({ id: actor }: TestPlayer, planNumber = 0): Promise<void> => {
  const event = { id: "an event", what: "resumed" as const, at: "2026-11-21T12:00:00.000Z", actor };
  return planAndQueuePages(
    { services: s.services, requestId: "x", timeLeft: () => 5 * SECOND },
    { event },
    planNumber,
  );
};

it("a broadcast that two workers plan concurrently has the plan that was stored first", async () => {
  const gm = await s.admin();
  await fillFor(gm, 1);
  s.beforeTransaction(async () => {
    await fillFor(gm, 1, 1);
    await planBroadcast(gm);
  });
  await planBroadcast(gm);
  expect(await waiting("page")).toMatchObject([{ planned: 2 }, { planned: 2 }]);
  // The first plan covers everything, and plan 5 has no stored predecessor: neither queues a page.
  for (const planNumber of [1, 5]) await planBroadcast(gm, planNumber);
  expect(await waiting("page")).toHaveLength(2);
});

it("a broadcast is planned by several workers if the time of one is too short", async () => {
  const gm = await s.admin();
  await fillFor(gm, PAGE_SIZE + 50);
  await planBroadcast(gm);
  expect(await waiting("page")).toHaveLength(1);
  expect(await waiting("plan_broadcast")).toMatchObject([{ plan: 1 }]);
  await s.work({ hurry: true });
  expectAll(PAGE_SIZE + 50);
});

it("a send plans all its pages if it has four seconds left, otherwise one", async () => {
  const gm = await s.admin();
  await fillFor(gm, 2 * PAGE_SIZE + 50);
  for (const [late, pages] of [3, 3 + 1].entries()) {
    s.timeLeft = () => 4 * SECOND - late;
    await send(gm);
    s.timeLeft = undefined;
    await deliver((await waiting("plan_broadcast")).at(-1) ?? {});
    expect(await waiting("page")).toHaveLength(pages);
  }
  // The second plan has the rest, which counted as one page.
  const message = (await waiting("plan_broadcast")).at(-1);
  await deliver(message);
  const record = await notificationRecord(s.store, await s.store.game(), message.subject.notification_id);
  expect(record?.progress.pages).toBe(3);
});

describe("a send", () => {
  it("to many that the queue rejects is a 500, and is delivered once on retry with its key", async () => {
    const gm = await s.admin();
    await fillFor(gm, MANY);
    s.hasQueue = false;
    const text = expect.stringMatching(
      /^The notification was saved but not sent: the queue did not accept it/,
    );
    expect(await send(gm, "key")).toMatchObject({ status: 500, text });
    s.hasQueue = true;
    const again = await send(gm, "key");
    expect(again.body, again.text).toMatchObject({ subscriptions: MANY, queued: MANY });
    await s.work({ hurry: true });
    await expectSent(gm, again.body.notification.notification_id, MANY);
    expectAll(MANY);
  });

  it("to a few counts as failed what it cannot store or queue", async () => {
    const gm = await s.admin();
    await fillFor(gm, 2);
    push().answer("/1", status(503));
    const counts = { sent: 1, failed: 1, queued: 0 };
    s.beforeCall = (call, keys) => {
      if (call === "transact" && keys.some(({ sk }) => sk.startsWith("PAGE#")))
        throw new Error("the table is unavailable");
    };
    expect((await send(gm)).body).toMatchObject(counts);
    s.beforeCall = undefined;
    s.hasQueue = false;
    const { body } = await send(gm);
    expect(body).toMatchObject(counts);
    const final = await statusOf(gm, body.notification.notification_id);
    expect(final).toMatchObject({ ...counts, complete: true });
    expect(await s.queued()).toEqual([]);
  });
});

describe("a message that may be retried", () => {
  const alone = async (respond: Responder) => {
    const gm = await s.admin();
    await fillFor(gm, 1);
    push().answer("/0", respond);
    const { body } = await send(gm);
    expect(body).toMatchObject({ subscriptions: 1, queued: 1, failed: 0 });
    return { gm, id: body.notification.notification_id };
  };
  /** Delivers a message when it is due. */
  const deliverDue = async (page: { notBefore: number }): Promise<void> => {
    s.now += Math.max(0, page.notBefore - s.now);
    await deliver(page);
  };

  it("is retried five times, each after a longer pause with random jitter, and then counts as failed", async () => {
    s.services.retryPauseMs = 2 * SECOND;
    const { gm, id } = await alone(status(503));
    const waits: number[] = [];
    for (let round = 1; round <= 5; round += 1) {
      const page = (await waiting("page")).find((one) => one.round === round);
      waits.push(page.notBefore - s.now);
      await deliverDue(page);
    }
    for (const [n, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(2 * SECOND * 4 ** n);
    // Five waits within the lowest twentieth have a chance of one in millions.
    expect(waits.some((wait, n) => wait > (2 * SECOND * 4 ** n) / 20)).toBe(true);
    expect(calls().get("/0")).toBe(6);
    expect(await statusOf(gm, id)).toMatchObject({ sent: 0, failed: 1, queued: 0, complete: true });
    expect((await scan(s)).filter(({ action }) => action === "deliver")).toHaveLength(1);
  });

  it("is not counted as an attempt when there was no time to send it", async () => {
    const { gm, id } = await alone(status(503));
    push().answer("/0", status(200));
    for (let round = 1; round <= 8; round += 1) {
      // A worker keeps eight seconds for what comes after.
      s.timeLeft = () => (round === 8 ? 60 : 8) * SECOND;
      await deliverDue((await waiting("page")).find((one) => one.round === round));
    }
    s.timeLeft = undefined;
    expect(await statusOf(gm, id)).toMatchObject({ sent: 1, failed: 0, complete: true });
  });

  it("waits for each device as long as its service asks, and goes to no other again", async () => {
    const gm = await s.admin();
    await fillFor(gm, 4);
    for (const [path, seconds] of [
      ["/0", "60"],
      ["/1", "3000"],
    ] as const)
      push().answer(path, status(429, { "retry-after": seconds }));
    const { body } = await send(gm);
    const expected: Record<string, number> = { "/0": 1, "/1": 1, "/2": 1, "/3": 1 };
    for (const [n, path] of ["/0", "/1"].entries()) {
      push().answer(path, status(200));
      await deliverDue((await waiting("page")).find(({ round }) => round === n + 1));
      expected[path] = 2;
      expect(Object.fromEntries(calls())).toEqual(expected);
      const counts = { subscriptions: 4, sent: 3 + n, failed: 0, queued: 1 - n };
      expect(await statusOf(gm, body.notification.notification_id)).toMatchObject(counts);
    }
  });

  it("is never sent before Retry-After, and is abandoned after a day", async () => {
    const began = s.now;
    const seconds = 50_000;
    const { gm, id } = await alone(status(429, { "retry-after": String(seconds) }));
    const [{ message, due = 0 } = { message: undefined }] = await s.queued();
    expect(message.notBefore).toBeGreaterThanOrEqual(began + seconds * SECOND);
    // SQS delays a message for a quarter of an hour at most: it is queued again until it is due.
    expect(due).toBeGreaterThanOrEqual(began + 899 * SECOND);
    s.now += (message.notBefore - s.now) / 2;
    await deliver(message);
    expect(calls().get("/0")).toBe(1);
    await deliverDue(message);
    expect(calls().get("/0")).toBe(2);
    const again = await s.login(gm.alias, gm.password);
    expect(await statusOf(again, id)).toMatchObject({ failed: 1, queued: 0, complete: true });
  });
});

const lines = logLines();
const counted = recordMetrics();
it("a VAPID key that push services reject is logged as an error and counted, and ends no subscription", async () => {
  const gm = await s.admin();
  await fillFor(gm, 20);
  for (const [n, code] of [401, 403, 403, 410].entries()) push().answer(`/${n}`, status(code));
  const { body } = await send(gm);
  const told = await statusOf(gm, body.notification.notification_id);
  expect(told).toMatchObject({ sent: 16, failed: 3, expired: 1, queued: 0, complete: true });
  expect(lines.join("")).toMatch(/"level":"ERROR","message":"push services reject the VAPID key"/);
  const metrics = { PushSent: 16, PushFailed: 3, PushExpired: 1, PushKeyRefused: 3 };
  expect(sumByName(counted)).toEqual(metrics);
  expect((await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"))).toHaveLength(19);
});

const CROWD = IS_LARGE ? share(100_000) : 600;
/** A tenth are gone; a tenth respond 429 twice, with Retry-After and without. */
const [GONE, BUSY] = [7, 3];

it(`a notification reaches all of ${CROWD.toLocaleString("en")} subscriptions when a worker is lost half-way, each under one topic`, {
  timeout: FULL ? 3_600_000 : 600_000,
}, async () => {
  const gm = await s.admin();
  await fillFor(gm, CROWD);
  for (let n = 0; n < CROWD; n += 1) {
    const busy = [status(429, { "retry-after": "1" }), status(429)];
    if (n % 10 === GONE) push().answer(`/${n}`, status(410));
    if (n % 10 === BUSY) push().answer(`/${n}`, (response) => (busy.pop() ?? status(201))(response));
  }
  const id = (await send(gm)).body.notification.notification_id;
  // Once some results are recorded, all calls of the worker fail, except the pushes that it is sending.
  let results = 0;
  s.beforeCall = (call, keys) => {
    if (call === "transact" && keys.some(({ sk }) => sk.startsWith("PAGE#"))) results += 1;
    if (results <= Math.ceil(CROWD / PAGE_SIZE / 2)) return;
    s.hasQueue = false;
    throw new Error("the worker is lost");
  };
  await s.work();
  expect(s.hasQueue).toBe(false);
  Object.assign(s, { hasQueue: true, beforeCall: undefined });
  const { sent, queued } = await statusOf(gm, id);
  expect(sent).toBeGreaterThan(0);
  expect(queued).toBeGreaterThan(0);
  await s.work({ hurry: true });

  const byPath = Map.groupBy(push().received(), ({ path }) => path);
  expect(byPath.size).toBe(CROWD);
  for (const [path, received] of byPath)
    expect(new Set(received.map(({ headers }) => headers.topic)).size, path).toBe(1);
  const total = CROWD * 0.9;
  const end = await statusOf(gm, id);
  expect(end).toMatchObject({ sent: total, failed: 0, queued: 0, complete: true });
  // Subscriptions that were found gone just when the worker was lost are not counted.
  expect(end.subscriptions).toBe(total + end.expired);
  const left = (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
  expect(left).toHaveLength(total);
});
