/** Notifications: browsers subscribe, game masters send, and what is pushed is read by nobody else. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DAY } from "../../lib/domain/time.ts";
import { VAPID } from "../support/constants.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { type Browser, makeBrowser, readVapid } from "../support/webPush.ts";

const push = trustedPushService();
const s = testEnvironment({ services: push.services });

const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const endpointOf = (path: string): string => `${push.current().origin}${path}`;

const { p256dh, auth } = makeBrowser();
const GOOD_KEYS = { p256dh, auth };

const subscribe = (as: Someone, body: unknown, key?: string): Promise<Result> =>
  s.call("POST /notifications/subscribe/{url_id}", { as, body, ...(key === undefined ? {} : { key }) });

/** A browser that subscribes for someone, by a path of its own. */
const browserOf = async (as: Someone, path: string): Promise<Browser> => {
  const browser = makeBrowser();
  const { p256dh, auth } = browser;
  const { status: is, text } = await subscribe(as, { endpoint: endpointOf(path), p256dh, auth });
  expect(is, text).toBe(200);
  return browser;
};

const unsubscribe = (as: Someone): Promise<Result> =>
  s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as });

const NEWS = { title: "Curfew", content: "Be at the bridge\nby nine.", player_groups: "All" };

const send = (as: Someone, body: unknown = NEWS, key?: string): Promise<Result> =>
  s.call("POST /notifications/send/{url_id}", { as, body, ...(key === undefined ? {} : { key }) });

/** A sentence for each fault, and no other. */
const expectFaults = ({ text }: Result, faults: readonly string[]): void => {
  for (const fault of faults) expect(text).toContain(fault);
  expect(text.match(/\.( |$)/g), text).toHaveLength(faults.length);
};

/** Endpoints of the subscriptions in the table, with whose they are; every guard must agree. */
const stored = async (): Promise<Record<string, string>> => {
  const items = await scan(s);
  const subscriptions = items.filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
  const guards = items.filter(({ sk }) => sk === "ENDPOINT");
  const owners = (all: typeof items) =>
    all
      .map(({ pk, sk, player_id, subscription_id }) => [
        sk === "ENDPOINT" ? pk.replace("SECRET#ENDPOINT#", "") : sk.replace("SUBSCRIPTION#", ""),
        player_id,
        subscription_id,
      ])
      .toSorted();
  expect(owners(guards)).toEqual(owners(subscriptions));
  for (const { pk, player_id, gsi1pk } of subscriptions) {
    expect(pk).toBe(`SECRET#${player_id}`);
    expect(gsi1pk).toMatch(/^SECRET#SUBSCRIPTIONS#\d+$/);
  }
  const paths = subscriptions.map(({ endpoint, player_id }) => [
    new URL(String(endpoint)).pathname,
    String(player_id),
  ]);
  return Object.fromEntries(paths);
};

const expectText = (result: Result, is: number, words: string | RegExp): void => {
  expect(result.status, result.text).toBe(is);
  expect(result.headers["content-type"]).toBe(TEXT);
  expect(result.text).toMatch(words);
};

describe("the key that a browser needs", () => {
  it("is told without a token", async () => {
    const told = await s.call("GET /notifications/vapid_public_key");
    expect(told).toMatchObject({ status: 200, body: { public_key: VAPID.VAPID_PUBLIC_KEY } });
    expect(told.headers["content-type"]).toBe(JSON_TYPE);
    expect(Object.keys(told.body)).toEqual(["public_key"]);
  });
});

describe("a subscription", () => {
  it("is saved and answered as it was given", async () => {
    const ada = await s.join("Ada");
    const { p256dh, auth } = makeBrowser();
    const given = { endpoint: endpointOf("/ada"), p256dh, auth };
    const result = await subscribe(ada, given);
    expect(result.status, result.text).toBe(200);
    expect(result.headers["content-type"]).toBe(JSON_TYPE);
    expect(result.body).toEqual({
      subscription_id: expect.stringMatching(/^[\da-f-]{36}$/),
      player_id: ada.id,
      ...given,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await stored()).toEqual({ "/ada": ada.id });
  });

  it("may come as the browser has it", async () => {
    const ada = await s.join("Ada");
    const { p256dh, auth } = makeBrowser();
    const endpoint = endpointOf("/ada");
    for (const [at, rest] of [
      { expirationTime: null },
      { expirationTime: 1_795_000_000_000 },
      {},
    ].entries()) {
      const result = await subscribe(ada, { endpoint: `${endpoint}${at}`, ...rest, keys: { p256dh, auth } });
      expect(result.status, result.text).toBe(200);
      expect(result.body).toMatchObject({ endpoint: `${endpoint}${at}`, p256dh, auth });
    }
    expect(Object.keys(await stored())).toHaveLength(3);
  });

  it("to the same endpoint replaces the earlier one", async () => {
    const ada = await s.join("Ada");
    const gm = await s.admin();
    const old = await browserOf(ada, "/ada");
    const renewed = await browserOf(ada, "/ada");
    expect(await stored()).toEqual({ "/ada": ada.id });
    expect((await send(gm)).body).toMatchObject({ subscriptions: 1, sent: 1 });
    const [message] = push.current().received();
    if (message === undefined) throw new Error("nothing came");
    expect(renewed.decrypt(message.body)).toContain("Curfew");
    expect(() => old.decrypt(message.body)).toThrow();
  });

  it("to another player's endpoint takes it over", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    await browserOf(ada, "/shared");
    await browserOf(ada, "/ada");
    await browserOf(ben, "/shared");
    expect(await stored()).toEqual({ "/shared": ben.id, "/ada": ada.id });
    expect((await unsubscribe(ada)).status).toBe(204);
    expect(await stored()).toEqual({ "/shared": ben.id });
    await browserOf(ada, "/shared");
    expect(await stored()).toEqual({ "/shared": ada.id });
  });

  it("made with an Idempotency-Key is made once, and another request with the key is refused", async () => {
    const ada = await s.join("Ada");
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: endpointOf("/ada"), p256dh, auth };
    const first = await subscribe(ada, body, "key-1");
    expect((await unsubscribe(ada)).status).toBe(204);
    const again = await subscribe(ada, body, "key-1");
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await stored()).toEqual({});
    expectText(
      await subscribe(ada, { ...body, endpoint: endpointOf("/b") }, "key-1"),
      422,
      /Idempotency-Key/,
    );
  });

  it.each([
    ["nothing", {}, ["endpoint is missing", 'key "p256dh" is missing', 'key "auth" is missing']],
    [
      "no keys",
      { endpoint: "https://fcm.googleapis.com/x" },
      ['key "p256dh" is missing', 'key "auth" is missing'],
    ],
    ["an unknown key beside", { nonsense: 1 }, ['no field "nonsense"', "endpoint", '"p256dh"', '"auth"']],
    ["numbers", { endpoint: 1, p256dh: 2, auth: 3 }, ["endpoint must be text", '"p256dh"', '"auth"']],
    [
      "half a set of keys",
      { endpoint: "https://x.org", keys: { auth: "x" } },
      ["endpoint", 'key "p256dh" is missing', '"auth"'],
    ],
    [
      "keys that are none",
      { endpoint: "http://x.org", keys: "x" },
      ["browser keys must be an object", "endpoint must be an https URL"],
    ],
    [
      "more than keys",
      { endpoint: "https://fcm.googleapis.com/x", keys: { ...GOOD_KEYS, z: 1 } },
      ['no field "z"'],
    ],
    [
      "keys twice",
      { endpoint: "https://fcm.googleapis.com/x", p256dh: GOOD_KEYS.p256dh, keys: GOOD_KEYS },
      ['key "p256dh" is given twice'],
    ],
    [
      "all wrong",
      { endpoint: "http://x.org", p256dh: "x", auth: "x", more: 1 },
      ['no field "more"', "endpoint", '"p256dh"', '"auth"'],
    ],
    [
      "all wrong as a browser has it",
      { endpoint: "ftp://x", expirationTime: "never", keys: { p256dh: "AAAA", auth: "" } },
      ["endpoint", "expiration time must be a number", '"p256dh"', '"auth"'],
    ],
  ])("with %s is refused, each fault named", async (_what, body, faults) => {
    const ada = await s.join("Ada");
    const refused = await subscribe(ada, body);
    expectText(refused, 400, /./);
    expectFaults(refused, faults);
    expect(await stored()).toEqual({});
  });
});

describe("unsubscribing", () => {
  it("removes every subscription of the player, and nobody else's; twice is harmless", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    for (const path of ["/1", "/2", "/3"]) await browserOf(ada, path);
    await browserOf(ben, "/ben");
    const done = await unsubscribe(ada);
    expect(done).toMatchObject({ status: 204, text: "" });
    expect(await stored()).toEqual({ "/ben": ben.id });
    expect((await unsubscribe(ada)).status).toBe(204);
  });
});

describe("a notification", () => {
  it("is answered with zeros when nobody has subscribed", async () => {
    const gm = await s.admin();
    const result = await send(gm);
    expect(result.status, result.text).toBe(200);
    expect(result.headers["content-type"]).toBe(JSON_TYPE);
    expect(result.body).toEqual({
      notification: {
        notification_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
        player_id: gm.id,
        title: NEWS.title,
        content: NEWS.content,
        player_group: "All",
        created_at: expect.any(String),
      },
      subscriptions: 0,
      sent: 0,
      failed: 0,
      expired: 0,
      queued: 0,
    });
    const kept = (await scan(s)).filter(({ pk }) => pk.startsWith("NOTIFICATIONS#"));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      ...result.body.notification,
      sk: result.body.notification.notification_id,
    });
  });

  it("reaches every browser, and each reads its own with nothing but the standard", async () => {
    const gm = await s.admin();
    const browsers = new Map<string, Browser>();
    for (const [at, alias] of ["Ada", "Ben", "Cid"].entries()) {
      const someone = await s.join(alias);
      for (const path of [`/push/${at}/a`, `/push/${at}/b`]) {
        browsers.set(path, await browserOf(someone, path));
      }
    }
    const result = await send(gm, { ...NEWS, title: "Ünruhe 🧟", player_groups: "Zombies only" });
    expect(result.status, result.text).toBe(200);
    expect(result.body).toMatchObject({ subscriptions: 6, sent: 6, failed: 0, expired: 0, queued: 0 });
    expect(result.body.notification.player_group).toBe("All");
    const id = result.body.notification.notification_id;
    const service = push.current();
    expect(service.received()).toHaveLength(6);
    for (const [path, browser] of browsers) {
      const [message, ...more] = service.received(path);
      if (message === undefined) throw new Error(`nothing came to ${path}`);
      expect(more).toEqual([]);
      expect(JSON.parse(browser.decrypt(message.body))).toEqual({
        web_push: 8030,
        notification: { title: "Ünruhe 🧟", body: NEWS.content, navigate: "/", tag: id },
        notification_id: id,
        created_at: result.body.notification.created_at,
      });
      expect(message.headers).toMatchObject({
        "content-encoding": "aes128gcm",
        "content-length": String(message.body.length),
        ttl: "86400",
        urgency: "normal",
        topic: id.replaceAll("-", ""),
      });
      const { key, head, claims } = readVapid(message.headers.authorization?.toString());
      expect(key).toBe(VAPID.VAPID_PUBLIC_KEY);
      expect(head).toEqual({ typ: "JWT", alg: "ES256" });
      expect(claims).toEqual({ aud: service.origin, exp: expect.any(Number), sub: VAPID.VAPID_SUBJECT });
      const ahead = Number(claims.exp) * 1_000 - Date.now();
      expect(ahead).toBeGreaterThan(DAY / 4);
      expect(ahead).toBeLessThanOrEqual(DAY);
    }
    const [first, second] = service.received().map(({ body }) => body);
    expect(first?.subarray(0, 16)).not.toEqual(second?.subarray(0, 16));
  });

  it("ends the subscriptions that their service knows no more, and no other", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    const service = push.current();
    const answers = [201, 200, 202, 204, 404, 410, 400, 401, 403, 413, 429, 500, 503, 302];
    const senders = [await s.join("Ben"), ada];
    for (const [at, code] of answers.entries()) {
      const owner = senders[at % 2] ?? ada;
      await browserOf(owner, `/${code}`);
      service.answer(`/${code}`, status(code, code === 302 ? { location: endpointOf("/elsewhere") } : {}));
    }
    const result = await send(gm);
    expect(result.status, result.text).toBe(200);
    // 429, 500 and 503 may pass.
    expect(result.body).toMatchObject({ subscriptions: 14, sent: 4, expired: 2, failed: 5, queued: 3 });
    expect(service.received()).toHaveLength(14);
    expect(service.received("/elsewhere")).toEqual([]);
    const left = Object.keys(await stored());
    expect(left.toSorted()).toEqual(
      answers
        .filter((code) => code !== 404 && code !== 410)
        .map((code) => `/${code}`)
        .toSorted(),
    );
    expect((await send(gm)).body).toMatchObject({
      subscriptions: 12,
      sent: 4,
      expired: 0,
      failed: 5,
      queued: 3,
    });
  });

  it("that no service takes is a 500, and saved", async () => {
    const gm = await s.admin();
    await browserOf(gm, "/403");
    await browserOf(gm, "/400");
    push.current().answer("/403", status(403));
    push.current().answer("/400", status(400));
    expectText(await send(gm), 500, /^The notification was saved, and not sent/);
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("NOTIFICATIONS#"))).toHaveLength(1);
    expect(Object.keys(await stored())).toHaveLength(2);
    // One that has expired is no failure.
    push.current().answer("/403", status(410));
    expect((await send(gm)).body).toMatchObject({ subscriptions: 2, sent: 0, expired: 1, failed: 1 });
  });

  it("sent again with its Idempotency-Key is not sent again", async () => {
    const gm = await s.admin();
    await browserOf(gm, "/gm");
    const key = randomUUID();
    const first = await send(gm, NEWS, key);
    const again = await send(gm, NEWS, key);
    expect(first.body).toMatchObject({ sent: 1 });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(push.current().received()).toHaveLength(1);
    expectText(await send(gm, { ...NEWS, title: "Other" }, key), 422, /Idempotency-Key/);
    const side = await Promise.all(Array.from({ length: 6 }, () => send(gm, NEWS, "side by side")));
    expect(side.map((one) => one.status)).toEqual(Array.from({ length: 6 }, () => 400));
    const together = await Promise.all(Array.from({ length: 6 }, () => send(gm, NEWS, "side-by-side")));
    expect(push.current().received()).toHaveLength(2);
    for (const one of together) {
      if (one.status === 200) expect(one.body).toMatchObject({ sent: 1 });
      else expectText(one, 409, /still being worked on/);
    }
    expect(together.some((one) => one.status === 200)).toBe(true);
  });

  it("that failed is taken up by a retry with its key, as the same notification", async () => {
    const gm = await s.admin();
    await browserOf(gm, "/gm");
    push.current().answer("/gm", status(403));
    expect((await send(gm, NEWS, "key")).status).toBe(500);
    push.current().answer("/gm", status(201));
    const retried = await send(gm, NEWS, "key");
    expect(retried).toMatchObject({ status: 200, body: { sent: 1 } });
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("NOTIFICATIONS#"))).toHaveLength(1);
    expect(
      push
        .current()
        .received()
        .map(({ headers }) => headers.topic),
    ).toEqual(Array.from({ length: 2 }, () => retried.body.notification.notification_id.replaceAll("-", "")));
    expect((await send(gm, NEWS, "key")).body).toEqual(retried.body);
    expect(push.current().received()).toHaveLength(2);
  });

  it.each([
    ["nothing", {}, ["title is missing", "content is missing", "player group is missing"]],
    ["no words", { title: " ", content: "", player_groups: "" }, ["title", "content"]],
    [
      "too many",
      { title: "x".repeat(121), content: "x".repeat(2_001), player_groups: "" },
      ["title", "content"],
    ],
    ["a group that is no text", { title: "x", content: "x", player_groups: ["All"] }, ["player group must"]],
    ["more", { title: "x", content: "x", player_groups: "All", urgent: true }, ['no field "urgent"']],
    [
      "bytes without end",
      { title: "x", content: "🧟".repeat(2_000), player_groups: "All" },
      ["content is too"],
    ],
  ])("with %s is refused, each fault named", async (_what, body, faults) => {
    const gm = await s.admin();
    const refused = await send(gm, body);
    expectText(refused, 400, /./);
    expectFaults(refused, faults);
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("NOTIFICATIONS#"))).toEqual([]);
  });

  it("is in the log, with what came of it and without a word of the message", async () => {
    const gm = await s.admin();
    await browserOf(gm, "/gm");
    const sent = await send(gm, { ...NEWS, content: "unmistakable" });
    await send(gm, {});
    const items = (await scan(s)).filter(({ pk, action }) => pk.startsWith("LOGS#") && action === "send");
    const told = items
      .toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
      .map(({ actor, outcome, details }) => [actor, outcome, details]);
    const { notification, ...counts } = sent.body;
    expect(told).toEqual([
      [gm.id, "done", { notification_id: notification.notification_id, ...counts }],
      [gm.id, "invalid_request", {}],
    ]);
    expect(JSON.stringify(items)).not.toContain("unmistakable");
  });
});

describe("how far a notification has come", () => {
  const statusOf = (as: Someone, query: Record<string, string>): Promise<Result> =>
    s.call("GET /notifications/status/{url_id}", { as, query });

  it("is told to administrators", async () => {
    const gm = await s.admin();
    for (const path of ["/201", "/403", "/410"]) {
      await browserOf(gm, path);
      push.current().answer(path, status(Number(path.slice(1))));
    }
    const sent = await send(gm);
    const { notification, ...counts } = sent.body;
    const id = { notification_id: notification.notification_id };
    const told = await statusOf(gm, id);
    expect(told.status, told.text).toBe(200);
    expect(told.body).toEqual({ notification, ...counts, complete: true });
    expect(counts).toEqual({ subscriptions: 3, sent: 1, failed: 1, expired: 1, queued: 0 });
    expectText(await statusOf(await s.join("Ada"), id), 401, /administrator/);
    expectText(await statusOf({ ...gm, token: "x" }, id), 403, /./);
  });

  it("goes on after the answer, where a push service asks for patience", async () => {
    const gm = await s.admin();
    await browserOf(gm, "/busy");
    await browserOf(gm, "/well");
    let asked = 0;
    push.current().answer("/busy", (response) => {
      asked += 1;
      status(asked > 1 ? 201 : 429, asked > 1 ? {} : { "retry-after": "1" })(response);
    });
    const sent = await send(gm);
    expect(sent.body, sent.text).toMatchObject({ subscriptions: 2, sent: 1, failed: 0, queued: 1 });
    const id = { notification_id: sent.body.notification.notification_id };
    await s.work();
    const told = await statusOf(gm, id);
    expect(told.body, told.text).toMatchObject({ subscriptions: 2, sent: 2, queued: 0, complete: true });
    expect(push.current().received("/busy")).toHaveLength(2);
    expect(push.current().received("/well")).toHaveLength(1);
    const ends = (await scan(s)).filter(({ pk, action }) => pk.startsWith("LOGS#") && action === "deliver");
    expect(ends).toMatchObject([{ actor: gm.id, outcome: "done", details: { ...id, sent: 2, failed: 0 } }]);
  });

  it.each([
    ["no id", {}, 400, /^The notification id is missing\.$/],
    ["no id of an event", { notification_id: "x" }, 400, /^The notification id must be the id of an event/],
    ["one too much", { notification_id: "x", more: "y" }, 400, /There is no field "more" here\./],
    [
      "the id of none",
      { notification_id: "01a1fe1e-b47c-75b9-9b27-9c320d2b8ba4" },
      404,
      /^Notification not found$/,
    ],
  ])("is not told for %s", async (_what, query, is, words) => {
    const gm = await s.admin();
    expectText(await statusOf(gm, query as Record<string, string>), is, words);
  });
});
