/** Delivery of pushes without a network: statuses, Retry-After, circuit breaker, concurrency, signatures and queue. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { makeCircuitBreaker } from "../../lib/push/circuitBreaker.ts";
import { hasCapacity, maxInFlight } from "../../lib/push/concurrency.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { makeJobQueue } from "../../lib/push/jobQueue.ts";
import {
  classifyResponse,
  isServerError,
  parseRetryAfter,
  type ResponseKind,
} from "../../lib/push/response.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { vapidSigner } from "../../lib/push/vapid.ts";
import { VAPID_KEYS } from "../support/pushService.ts";
import { makeSubscription, readVapid } from "../support/webPush.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

describe("a status", () => {
  it.each<[ResponseKind, string]>([
    ["sent", "200 201 299"],
    ["expired", "404 410"],
    ["failed", "300 307 400 403 405 408 409 411 413 428 430 499"],
    ["retry", "429 500 503 599"],
  ])("means %s: %s", (kind, statuses) => {
    for (const status of statuses.split(" ")) expect(classifyResponse(Number(status)), status).toBe(kind);
  });

  it("from 500 on is a failure of the service, 429 is not", () => {
    expect([429, 499, 500, 599].map(isServerError)).toEqual([false, false, true, true]);
  });
});

describe("Retry-After", () => {
  const MAX = 3_650 * DAY;

  it.each([
    ["0", 0],
    [" 120 ", 2 * MINUTE],
    ["9".repeat(400), MAX],
    ["Sat, 21 Nov 2026 07:25:00 GMT", MINUTE],
    ["Sat, 21 Nov 2026 07:23:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", MAX],
  ])("%j is %d ms", (text, wait) => {
    expect(parseRetryAfter(text, T0)).toBe(wait);
  });

  it.each([
    ...[undefined, "", "banana", "banana GMT", "-1", "+5", "1.5", "1e3", "0x10", "5 seconds", "Infinity"],
    ...["2026-11-21T07:25:00Z", "Sat, 99 Nov 2026 07:25:00 GMT", "120, 240"],
  ])("%j is ignored", (text) => expect(parseRetryAfter(text, T0)).toBe(0));
});

describe("the circuit breaker", () => {
  it("opens for a minute after twenty failures in a row, then lets one message through", () => {
    let now = T0;
    const breaker = makeCircuitBreaker(() => now);
    const state = () => [breaker.remainingMs(), breaker.isHalfOpen()];
    for (let n = 1; n < 20; n += 1) breaker.recordFailure();
    expect(state()).toEqual([0, false]);
    breaker.recordFailure();
    expect(state()).toEqual([MINUTE, true]);
    now += 20 * SECOND;
    // Requests that were under way do not extend it.
    for (let n = 0; n < 30; n += 1) breaker.recordFailure();
    expect(breaker.remainingMs()).toBe(40 * SECOND);
    now += 40 * SECOND;
    expect(state()).toEqual([0, true]);
    breaker.recordFailure();
    expect(breaker.remainingMs()).toBe(MINUTE);
    now += MINUTE;
    breaker.recordSuccess();
    expect(state()).toEqual([0, false]);
    for (let n = 1; n < 20; n += 1) breaker.recordFailure();
    expect(breaker.remainingMs()).toBe(0);
  });
});

describe("concurrency", () => {
  const limits = { open: 0, answered: 1_000, waiting: 100_000 };

  it.each([
    [{ roundTrip: undefined }, 16],
    [{ roundTrip: 10 }, 50],
    [{ roundTrip: 51.2 }, 256],
    // No more connections than a quarter of the waiting messages, or than messages were delivered.
    [{ roundTrip: 50, waiting: 400 }, 100],
    [{ roundTrip: 50, waiting: 20 }, 16],
    [{ roundTrip: 50, answered: 14 }, 30],
    // Open connections are used, as far as the rate needs them.
    [{ roundTrip: 50, open: 200, waiting: 20 }, 200],
    [{ roundTrip: 10, open: 200, waiting: 20 }, 50],
  ])("with %j is %d, for 5,000 messages a second", (more, most) => {
    expect(maxInFlight({ ...limits, ...more })).toBe(most);
  });

  it("is limited over all services, with room for those that use little", () => {
    expect([hasCapacity(0, 511), hasCapacity(15, 511), hasCapacity(15, 512)]).toEqual([true, true, false]);
    expect([hasCapacity(16, 447), hasCapacity(16, 448), hasCapacity(255, 448)]).toEqual([true, false, false]);
  });
});

describe("a VAPID signature", () => {
  it("is cached per service, and renewed an hour before it expires", () => {
    let now = Date.now();
    const sign = vapidSigner("https://push.example", VAPID_KEYS, () => now);
    const timeLeft = (header: string): number => Number(readVapid(header).claims.exp) * 1_000 - now;
    const first = sign();
    expect(readVapid(first).claims).toMatchObject({ aud: "https://push.example", sub: VAPID_KEYS.subject });
    expect(timeLeft(first)).toBeGreaterThan(12 * HOUR - 2 * SECOND);
    expect(timeLeft(first)).toBeLessThanOrEqual(12 * HOUR);
    now += 11 * HOUR - SECOND;
    expect(sign()).toBe(first);
    now += 2 * SECOND;
    const second = sign();
    expect(second).not.toBe(first);
    expect(timeLeft(second)).toBeGreaterThan(11 * HOUR);
    expect(sign()).toBe(second);
  });
});

it("the job queue behaves like an array that is searched", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -60, max: 40 }), { maxLength: 3_000, size: "max" }), (steps) => {
      const queue = makeJobQueue<{ n: number }>();
      const model: { n: number }[] = [];
      const all: { n: number }[] = [];
      for (const [n, step] of steps.entries()) {
        if (step < 0) {
          const job = { n };
          for (const list of [all, model]) list.push(job);
          queue.add(job);
        } else if (step < 20) {
          expect(queue.next()).toBe(model.shift());
        } else {
          const job = all[all.length - step];
          if (job === undefined) continue;
          const at = model.indexOf(job);
          expect(queue.remove(job)).toBe(at >= 0);
          if (at >= 0) model.splice(at, 1);
        }
        expect(queue.size()).toBe(model.length);
      }
      while (model.length > 0) expect(queue.next()).toBe(model.shift());
      expect(queue.next()).toBeUndefined();
    }),
    { numRuns: 8 },
  );
});

/** A network in which every connection is refused. */
const refusing = (clock = () => T0) => {
  let connections = 0;
  const error = Object.assign(new Error("nobody at 192.0.2.1"), { code: "ECONNREFUSED" });
  const sender = makeSender({
    clock,
    build: () => (_options, done) => {
      connections += 1;
      setImmediate(() => done(error, null));
    },
  });
  const settings = { vapid: [VAPID_KEYS], allowed: allowedHosts("*.push.example"), sender };
  return { connections: () => connections, settings };
};

const KEYS = makeSubscription("");
const OUTGOING = { message: Buffer.from("x"), topic: "t", timeoutMs: 10 * SECOND };
const many = (count: number, host = "a.push.example") =>
  Array.from({ length: count }, (_, n) => makeSubscription(`https://${host}/${n}`, KEYS));

describe("a delivery", () => {
  it("skips a failing service, retries it with one message after a minute, and goes on with others", async () => {
    let now = T0;
    const { settings, connections } = refusing(() => now);
    const subscriptions = many(100);
    const first = await deliver(subscriptions, OUTGOING, settings);
    expect(first.map(({ subscription }) => subscription)).toEqual(subscriptions);
    const tried = first.filter((one) => one.tried);
    expect(tried.length).toBeGreaterThanOrEqual(20);
    expect(tried.length).toBeLessThan(20 + 16);
    expect(connections()).toBe(tried.length);
    for (const one of first) {
      const skipped = { result: "retry", why: "circuit open", wait: MINUTE };
      expect(one).toMatchObject(one.tried ? { result: "retry", why: "ECONNREFUSED", wait: 0 } : skipped);
    }

    now += 15 * SECOND;
    const [left] = await deliver(many(1), OUTGOING, settings);
    expect(left).toMatchObject({ tried: false, why: "circuit open", wait: 45 * SECOND });
    const [other] = await deliver(many(1, "b.push.example"), OUTGOING, settings);
    expect(other).toMatchObject({ tried: true, why: "ECONNREFUSED" });

    now += 45 * SECOND;
    const again = await deliver(subscriptions, OUTGOING, settings);
    expect(again.map((one) => one.tried)).toEqual(subscriptions.map((_, n) => n === 0));
    expect(new Set(again.slice(1).map(({ wait }) => wait))).toEqual(new Set([MINUTE]));
  });

  it("with other settings is not affected by that", async () => {
    const { settings } = refusing();
    await deliver(many(60), OUTGOING, settings);
    const vapid = [{ ...VAPID_KEYS, subject: "mailto:other@example.org" }];
    for (const other of [refusing().settings, { ...settings, vapid }, { ...settings, ca: "" }]) {
      expect(await deliver(many(1), OUTGOING, other)).toMatchObject([{ tried: true }]);
    }
  });

  it.each([0, -5, Number.NEGATIVE_INFINITY])("with %d ms left connects to nothing", async (patience) => {
    const { settings, connections } = refusing();
    const subscriptions = many(40);
    const untried = { result: "retry", why: "no time left", wait: 0, tried: false };
    const deliveries = await deliver(subscriptions, { ...OUTGOING, timeoutMs: patience }, settings);
    expect(deliveries).toEqual(subscriptions.map((subscription) => ({ subscription, ...untried })));
    expect(connections()).toBe(0);
  });

  it("fails permanently where nothing can be sent, and there only", async () => {
    const { settings, connections } = refusing();
    const endpoint = "https://a.push.example/x";
    const subscriptions = [
      ...["https://evil.example/x", "no URL"].map((other) => makeSubscription(other)),
      makeSubscription(endpoint, { p256dh: "AAAA", auth: KEYS.auth }),
      makeSubscription(endpoint),
    ];
    const deliveries = await deliver(subscriptions, OUTGOING, settings);
    expect(deliveries.map(({ result, why, tried }) => [result, why, tried])).toEqual([
      ["failed", "endpoint not allowed", false],
      ["failed", "endpoint not allowed", false],
      ["failed", "invalid keys", false],
      ["retry", "ECONNREFUSED", true],
    ]);
    expect(connections()).toBe(1);
    const vapid = [{ ...VAPID_KEYS, privateKey: "AAAA" }];
    const unsigned = await deliver(many(1), OUTGOING, { ...settings, vapid });
    expect(unsigned).toMatchObject([{ result: "failed", why: "invalid keys" }]);
  });

  it("keeps connection pools for 256 services at most", async () => {
    const { settings } = refusing();
    const hosts = Array.from({ length: 300 }, (_, n) => `h${n}.push.example`);
    const deliveries = await Promise.all(hosts.map((host) => deliver(many(1, host), OUTGOING, settings)));
    expect(deliveries.flat().map(({ why }) => why)).toEqual(hosts.map(() => "ECONNREFUSED"));
    await deliver(many(1), OUTGOING, settings);
    expect([settings.sender.pools.size <= 256, settings.sender.inFlight]).toEqual([true, 0]);
  });
});
