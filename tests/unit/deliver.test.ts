/** Delivery of pushes without a network: statuses, Retry-After, circuit breaker, concurrency and signatures. */
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { hasCapacity, makeCircuitBreaker, maxInFlight, poolOf } from "../../lib/push/connectionPool.ts";
import { deliver } from "../../lib/push/deliver.ts";
import {
  classifyResponse,
  isServerError,
  parseRetryAfter,
  type ResponseKind,
} from "../../lib/push/response.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { vapidSigner } from "../../lib/push/vapid.ts";
import { listen } from "../support/listen.ts";
import { VAPID_KEYS } from "../support/pushService.ts";
import { makeSubscription, readVapid } from "../support/webPush.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

it("a push is sent, ended, failed or retried by its status; those from 500 on are failures of the service", () => {
  const KINDS: Record<ResponseKind, string> = {
    ...{ sent: "200 201 299", expired: "404 410", retry: "429 500 503 599" },
    failed: "300 307 400 403 405 408 409 411 413 428 430 499",
  };
  for (const [kind, statuses] of Object.entries(KINDS))
    for (const status of statuses.split(" ").map(Number)) {
      expect(classifyResponse(status), `${status}`).toBe(kind);
      expect(isServerError(status)).toBe(status >= 500);
    }
});

it("reads Retry-After in seconds or as a date, and ignores any other text", () => {
  const MAX = 3_650 * DAY;
  const waits = {
    ...{ "0": 0, " 120 ": 2 * MINUTE, ["9".repeat(400)]: MAX, "Sat, 21 Nov 2026 07:25:00 GMT": MINUTE },
    ...{
      "Sat, 21 Nov 2026 07:23:00 GMT": 0,
      "Fri, 31 Dec 9999 23:59:59 GMT": MAX,
      "": 0,
      banana: 0,
      "-1": 0,
    },
    ...{ "+5": 0, "1.5": 0, "1e3": 0, "5 seconds": 0, Infinity: 0, "2026-11-21T07:25:00Z": 0, "120, 240": 0 },
  };
  for (const [text, wait] of Object.entries(waits)) expect(parseRetryAfter(text, T0), text).toBe(wait);
  expect(parseRetryAfter(undefined, T0)).toBe(0);
});

it("the circuit breaker opens for a minute after twenty failures in a row, then lets one message through", () => {
  let now = T0;
  const breaker = makeCircuitBreaker(() => now);
  const failTimes = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.recordFailure();
    return [breaker.remainingMs(), breaker.hasTripped()];
  };
  expect(failTimes(19)).toEqual([0, false]);
  expect(failTimes(1)).toEqual([MINUTE, true]);
  now += 20 * SECOND;
  // Requests that were under way do not extend it.
  expect(failTimes(30)).toEqual([40 * SECOND, true]);
  now += 40 * SECOND;
  expect(failTimes(0)).toEqual([0, true]);
  expect(failTimes(1)).toEqual([MINUTE, true]);
  breaker.recordSuccess();
  expect(failTimes(19)).toEqual([0, false]);
});

it("a service gets as many connections as 5,000 messages a second need", () => {
  const limits = { open: 0, answered: 1_000, waiting: 100_000 };
  for (const [more, most] of [
    [{ roundTrip: undefined }, 16],
    [{ roundTrip: 51.2 }, 256],
    // No more connections than a quarter of the waiting messages, or than messages were delivered.
    [{ roundTrip: 50, waiting: 400 }, 100],
    [{ roundTrip: 50, answered: 14 }, 30],
    // Open connections are used, as far as the rate needs them.
    [{ roundTrip: 50, open: 200, waiting: 20 }, 200],
    [{ roundTrip: 10, open: 200, waiting: 20 }, 50],
  ] as const)
    expect(maxInFlight({ ...limits, ...more }), JSON.stringify(more)).toBe(most);
  // Over all services there is a limit, with room for those that use little.
  expect([hasCapacity(15, 511), hasCapacity(15, 512)]).toEqual([true, false]);
  expect([hasCapacity(16, 447), hasCapacity(16, 448)]).toEqual([true, false]);
});

it("a VAPID signature is cached per service, and renewed an hour before it expires", () => {
  let now = Date.now();
  const sign = vapidSigner("https://push.example", VAPID_KEYS, () => now);
  const secondsLeft = (header: string): number => Number(readVapid(header).claims.exp) - now / SECOND;
  const first = sign();
  expect(readVapid(first).claims).toMatchObject({ aud: "https://push.example", sub: VAPID_KEYS.subject });
  expect(Math.ceil(secondsLeft(first))).toBeCloseTo((12 * HOUR) / SECOND, -1);
  now += 11 * HOUR - SECOND;
  expect(sign()).toBe(first);
  now += 2 * SECOND;
  expect(secondsLeft(sign())).toBeGreaterThan((11 * HOUR) / SECOND);
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
    // They are sent in order.
    expect(first.findLastIndex((one) => one.tried)).toBe(tried.length - 1);
    expect(connections()).toBe(tried.length);
    for (const one of first) {
      const skipped = { result: "retry", why: "circuit open", wait: MINUTE };
      expect(one).toMatchObject(one.tried ? { result: "retry", why: "ECONNREFUSED", wait: 0 } : skipped);
    }

    now += MINUTE;
    const again = await deliver(subscriptions, OUTGOING, settings);
    expect(again.map((one) => one.tried)).toEqual(subscriptions.map((_, n) => n === 0));
    expect(new Set(again.slice(1).map(({ wait }) => wait))).toEqual(new Set([MINUTE]));
    const [other] = await deliver(many(1, "b.push.example"), OUTGOING, settings);
    expect(other).toMatchObject({ tried: true, why: "ECONNREFUSED" });
  });

  it("connects anew after a pause in which connections may have broken unnoticed", async () => {
    let [now, connections] = [T0, 0];
    const server = createServer((_, response) => response.end()).on("connection", () => {
      connections += 1;
    });
    const origin = new URL(`http://127.0.0.1:${await listen(server)}`);
    const pool = poolOf(makeSender({ clock: () => now }), origin, { exempt: true, ca: undefined, owner: [] });
    for (const [pause, expected] of [
      [0, 1],
      [2 * SECOND, 1],
      [4 * SECOND, 2],
    ] as const) {
      now += pause;
      const request = () => ({ path: "/", headers: {}, body: OUTGOING.message });
      await new Promise((settle) => {
        pool.add({ request, until: performance.now() + 10 * SECOND, settle });
        pool.fill();
      });
      expect(connections).toBe(expected);
    }
    pool.close();
    server.close();
  });

  it("fails permanently where nothing can be sent, and there only", async () => {
    const { settings, connections } = refusing();
    const endpoint = "https://a.push.example/x";
    const subscriptions = [
      ...["https://evil.example/x", "no URL", endpoint].map((one) => makeSubscription(one)),
      makeSubscription(endpoint, { p256dh: "AAAA", auth: KEYS.auth }),
    ];
    const unsigned = { ...settings, vapid: [{ ...VAPID_KEYS, privateKey: "AAAA" }] };
    const deliveries = await deliver(subscriptions, OUTGOING, settings);
    deliveries.push(...(await deliver(many(1), OUTGOING, unsigned)));
    expect(deliveries.map(({ result, why }) => `${result}: ${why}`)).toEqual([
      ...["failed: endpoint not allowed", "failed: endpoint not allowed", "retry: ECONNREFUSED"],
      ...["failed: invalid keys", "failed: invalid keys"],
    ]);
    expect(connections()).toBe(1);
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
