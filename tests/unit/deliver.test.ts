/** Delivery without a network: what answers mean, whom it leaves alone, its pace, its signatures, its order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { makeBreaker } from "../../lib/push/circuitBreaker.ts";
import { hasRoom, mostUnderWay } from "../../lib/push/concurrency.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { makeJobQueue } from "../../lib/push/jobQueue.ts";
import { isTrouble, kindOfResponse, type ResponseKind, waitOf } from "../../lib/push/response.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { vapidSigner } from "../../lib/push/vapid.ts";
import { VAPID_KEYS } from "../support/pushService.ts";
import { makeSubscription, readVapid } from "../support/webPush.ts";

const NOW = Date.parse("2026-11-21T07:24:00.000Z");

describe("an answer", () => {
  const TABLE: [ResponseKind, number[]][] = [
    ["sent", [200, 201, 202, 204, 206, 299]],
    ["expired", [404, 410]],
    [
      "failed",
      [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 405, 408, 409, 411, 413, 418, 431, 451, 499],
    ],
    ["retry", [429, 500, 501, 502, 503, 504, 507, 511, 520, 599]],
  ];

  it.each(TABLE)("is %s with %j", (fate, statuses) => {
    expect(statuses.map(kindOfResponse)).toEqual(statuses.map(() => fate));
  });

  it("is the service's trouble from 500 on, and not when it has too much to do", () => {
    expect([429, 499, 500, 599].map(isTrouble)).toEqual([false, false, true, true]);
  });
});

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    ["1", SECOND],
    ["120", 2 * MINUTE],
    [" 120 ", 2 * MINUTE],
    ["31536000", 365 * DAY],
    ["99999999999999999999999", 3_650 * DAY],
    ["9".repeat(400), 3_650 * DAY],
    ["Sat, 21 Nov 2026 07:25:00 GMT", MINUTE],
    ["Saturday, 21-Nov-26 07:25:00 GMT", MINUTE],
    ["Sat, 21 Nov 2026 07:23:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 3_650 * DAY],
    ["", 0],
    ["banana", 0],
    ["banana GMT", 0],
    ["-1", 0],
    ["+5", 0],
    ["1.5", 0],
    ["1e3", 0],
    ["0x10", 0],
    ["5 seconds", 0],
    ["Infinity", 0],
    ["NaN", 0],
    ["2026-11-21T07:25:00Z", 0],
    ["Sat, 99 Nov 2026 07:25:00 GMT", 0],
    ["120, 240", 0],
  ])("%j means %d ms", (text, wait) => {
    expect(waitOf(text, NOW)).toBe(wait);
  });

  it("means nothing when it is absent, and is a number whatever it says", () => {
    expect(waitOf(undefined, NOW)).toBe(0);
    let cases = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (text) => {
          cases += 1;
          const wait = waitOf(text, NOW);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(3_650 * DAY);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(cases).toBe(5_000);
  });
});

describe("the breaker", () => {
  it("leaves a service alone for a minute after twenty failures in a row", () => {
    let now = NOW;
    const breaker = makeBreaker(() => now);
    for (let n = 1; n < 20; n += 1) breaker.failed();
    expect([breaker.rest(), breaker.onTrial()]).toEqual([0, false]);
    breaker.failed();
    expect([breaker.rest(), breaker.onTrial()]).toEqual([MINUTE, true]);
    now += 20 * SECOND;
    // What was under way does not make it longer.
    for (let n = 0; n < 30; n += 1) breaker.failed();
    expect(breaker.rest()).toBe(40 * SECOND);
    now += 40 * SECOND;
    expect([breaker.rest(), breaker.onTrial()]).toEqual([0, true]);
    breaker.failed();
    expect(breaker.rest()).toBe(MINUTE);
    now += MINUTE;
    breaker.worked();
    expect([breaker.rest(), breaker.onTrial()]).toEqual([0, false]);
    for (let n = 1; n < 20; n += 1) breaker.failed();
    expect(breaker.rest()).toBe(0);
  });

  it("counts failures in a row alone", () => {
    const breaker = makeBreaker(() => NOW);
    for (let n = 0; n < 200; n += 1) {
      if (n % 20 === 19) breaker.worked();
      else breaker.failed();
    }
    expect([breaker.rest(), breaker.onTrial()]).toEqual([0, false]);
  });
});

describe("the pace", () => {
  const far = { open: 0, answered: 1_000, waiting: 100_000 };

  it.each([
    [undefined, 16],
    [0.2, 16],
    [3.2, 16],
    [10, 50],
    [20, 100],
    [50, 250],
    [51.2, 256],
    [52, 256],
    [3_000, 256],
  ])("is made for 5,000 a second: at a round trip of %d ms %d under way", (roundTrip, most) => {
    expect(mostUnderWay({ roundTrip, ...far })).toBe(most);
  });

  it("opens no more connections than a quarter of what waits would use, or than messages came through", () => {
    expect(mostUnderWay({ ...far, roundTrip: 50, waiting: 400 })).toBe(100);
    expect(mostUnderWay({ ...far, roundTrip: 50, waiting: 20 })).toBe(16);
    expect(mostUnderWay({ ...far, roundTrip: 50, answered: 0 })).toBe(16);
    expect(mostUnderWay({ ...far, roundTrip: 50, answered: 14 })).toBe(30);
  });

  it("uses the connections that are open to the end, and not more of them than the rate needs", () => {
    expect(mostUnderWay({ ...far, roundTrip: 50, open: 200, waiting: 20 })).toBe(200);
    expect(mostUnderWay({ ...far, roundTrip: 10, open: 200, waiting: 20 })).toBe(50);
  });

  it("is bounded in all, with room for a service that has little under way", () => {
    expect([hasRoom(0, 511), hasRoom(15, 511), hasRoom(15, 512)]).toEqual([true, true, false]);
    expect([hasRoom(16, 447), hasRoom(16, 448), hasRoom(255, 448)]).toEqual([true, false, false]);
  });
});

describe("a signature", () => {
  it("is made once for a service, and anew when less than an hour is left", () => {
    let now = Date.now();
    const sign = vapidSigner("https://push.example", VAPID_KEYS, () => now);
    const expires = (header: string): number => Number(readVapid(header).claims.exp) * 1_000 - now;
    const first = sign();
    expect(readVapid(first).claims).toMatchObject({ aud: "https://push.example", sub: VAPID_KEYS.subject });
    expect(expires(first)).toBeGreaterThan(12 * HOUR - 2 * SECOND);
    expect(expires(first)).toBeLessThanOrEqual(12 * HOUR);
    now += 11 * HOUR - SECOND;
    expect(sign()).toBe(first);
    now += 2 * SECOND;
    const second = sign();
    expect(second).not.toBe(first);
    expect(expires(second)).toBeGreaterThan(11 * HOUR);
    expect(sign()).toBe(second);
  });

  it("is not kept when it could not be made", () => {
    const sign = vapidSigner("https://push.example", { ...VAPID_KEYS, privateKey: "AAAA" }, () => NOW);
    expect(sign).toThrow();
    expect(sign).toThrow();
  });
});

describe("the waiting line", () => {
  it("is as an array that is searched each time", () => {
    let cases = 0;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -60, max: 40 }), { maxLength: 3_000, size: "max" }), (steps) => {
        cases += 1;
        const line = makeJobQueue<{ n: number }>();
        const plain: { n: number }[] = [];
        const all: { n: number }[] = [];
        for (const [n, step] of steps.entries()) {
          if (step < 0) {
            all.push({ n });
            for (const one of all.slice(-1)) {
              line.add(one);
              plain.push(one);
            }
          } else if (step < 20) {
            expect(line.next()).toBe(plain.shift());
          } else {
            const one = all[all.length - step];
            if (one === undefined) continue;
            const at = plain.indexOf(one);
            expect(line.leave(one)).toBe(at >= 0);
            if (at >= 0) plain.splice(at, 1);
          }
          expect(line.count()).toBe(plain.length);
        }
        while (plain.length > 0) expect(line.next()).toBe(plain.shift());
        expect(line.next()).toBeUndefined();
      }),
      { numRuns: 40 },
    );
    expect(cases).toBe(40);
  });
});

/** Where nobody answers: every connection is refused. */
const nowhere = (clock = () => NOW) => {
  let connections = 0;
  const sender = makeSender({
    clock,
    build: () => (_options, done) => {
      connections += 1;
      setImmediate(() =>
        done(Object.assign(new Error("nobody at 192.0.2.1"), { code: "ECONNREFUSED" }), null),
      );
    },
  });
  return {
    connections: () => connections,
    settings: { vapid: [VAPID_KEYS], allowed: allowedHosts("*.push.example"), sender },
  };
};

const many = (count: number, host = "a.push.example") =>
  Array.from({ length: count }, (_, n) => makeSubscription(`https://${host}/${n}`, KEYS));
const KEYS = makeSubscription("");
const OUTGOING = { message: Buffer.from("x"), topic: "t", patience: 10 * SECOND };

describe("a delivery", () => {
  it("leaves a service alone that fails, tries it with one message after a minute, and goes on with others", async () => {
    let now = NOW;
    const { settings, connections } = nowhere(() => now);
    const subscriptions = many(100);
    const first = await deliver(subscriptions, OUTGOING, settings);
    expect(first.map(({ subscription }) => subscription)).toEqual(subscriptions);
    const [tried, untried] = [first.filter((one) => one.tried), first.filter((one) => !one.tried)];
    expect(tried.length).toBeGreaterThanOrEqual(20);
    expect(tried.length).toBeLessThan(20 + 16);
    expect(connections()).toBe(tried.length);
    for (const one of tried) expect(one).toMatchObject({ fate: "retry", why: "ECONNREFUSED", wait: 0 });
    for (const one of untried) {
      expect(one).toMatchObject({ fate: "retry", why: "service left alone", wait: MINUTE });
    }

    now += 15 * SECOND;
    const [left] = await deliver(many(1), OUTGOING, settings);
    expect(left).toMatchObject({ tried: false, why: "service left alone", wait: 45 * SECOND });
    const [other] = await deliver(many(1, "b.push.example"), OUTGOING, settings);
    expect(other).toMatchObject({ tried: true, why: "ECONNREFUSED" });

    now += 45 * SECOND;
    const again = await deliver(subscriptions, OUTGOING, settings);
    expect(again.map((one) => one.tried)).toEqual(subscriptions.map((_, n) => n === 0));
    expect(new Set(again.slice(1).map(({ wait }) => wait))).toEqual(new Set([MINUTE]));
  });

  it("of other settings knows nothing of that", async () => {
    const { settings } = nowhere();
    await deliver(many(60), OUTGOING, settings);
    const [one] = await deliver(many(1), OUTGOING, nowhere().settings);
    expect(one).toMatchObject({ tried: true });
    const keys = [{ ...VAPID_KEYS, subject: "mailto:other@example.org" }];
    const [another] = await deliver(many(1), OUTGOING, { ...settings, vapid: keys });
    expect(another).toMatchObject({ tried: true });
    const [without] = await deliver(many(1), OUTGOING, { ...settings, ca: "" });
    expect(without).toMatchObject({ tried: true });
  });

  it("has no time left, and says so in order", async () => {
    for (const patience of [0, -5, Number.NEGATIVE_INFINITY]) {
      const { settings, connections } = nowhere();
      const subscriptions = many(40);
      const deliveries = await deliver(subscriptions, { ...OUTGOING, patience }, settings);
      expect(deliveries).toEqual(
        subscriptions.map((subscription) => ({
          subscription,
          fate: "retry",
          why: "no time left",
          wait: 0,
          tried: false,
        })),
      );
      expect(connections()).toBe(0);
    }
  });

  it("waits as long as it is told, however long that is", async () => {
    const { settings } = nowhere();
    const [one] = await deliver(many(1), { ...OUTGOING, patience: Number.POSITIVE_INFINITY }, settings);
    expect(one).toMatchObject({ why: "ECONNREFUSED" });
  });

  it("fails for good where no message can be sent, and for those alone", async () => {
    const { settings, connections } = nowhere();
    const subscriptions = [
      makeSubscription("https://evil.example/x"),
      makeSubscription("no URL"),
      makeSubscription("https://a.push.example/x", { p256dh: "AAAA", auth: KEYS.auth }),
      makeSubscription("https://a.push.example/x"),
    ];
    const deliveries = await deliver(subscriptions, OUTGOING, settings);
    expect(deliveries.map(({ fate, why, tried }) => [fate, why, tried])).toEqual([
      ["failed", "endpoint not allowed", false],
      ["failed", "endpoint not allowed", false],
      ["failed", "keys of no use", false],
      ["retry", "ECONNREFUSED", true],
    ]);
    expect(connections()).toBe(1);
    const vapid = [{ ...VAPID_KEYS, privateKey: "AAAA" }];
    const [refused] = await deliver(many(1), OUTGOING, { ...settings, vapid });
    expect(refused).toMatchObject({ fate: "failed", why: "keys of no use" });
  });

  it("remembers a bounded number of services", async () => {
    const { settings } = nowhere();
    const hosts = Array.from({ length: 400 }, (_, n) => `h${n}.push.example`);
    const deliveries = await Promise.all(hosts.map((host) => deliver(many(1, host), OUTGOING, settings)));
    expect(deliveries.flat().map(({ why }) => why)).toEqual(hosts.map(() => "ECONNREFUSED"));
    await deliver(many(1), OUTGOING, settings);
    expect(settings.sender.lanes.size).toBeLessThanOrEqual(256);
    expect(settings.sender.underWay).toBe(0);
  });

  it("to nobody is nothing", async () => {
    expect(await deliver([], OUTGOING, nowhere().settings)).toEqual([]);
  });
});
