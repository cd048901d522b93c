/** Notifications: browsers subscribe, game masters send, and what happens when push services or the database fail. */
import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { makeSender } from "../../lib/push/sender.ts";
import type { PushSettings } from "../../lib/push/settings.ts";
import { VAPID } from "../support/constants.ts";
import { logLines } from "../support/logLines.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import { status } from "../support/pushService.ts";
import { drift } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { type Browser, readVapid } from "../support/webPush.ts";

const { s, push, requestFor, subscribe, fillFor, send, statusOf } = pushEnvironment();

const JSON_TYPE = "application/json; charset=utf-8";

/** Changes the settings of pushes; without connections that were opened before. */
const configure = (more: Partial<PushSettings>): void => {
  s.services.push = { ...s.services.push, sender: makeSender(), ...more };
};
/** Makes calls of the database fail, by their names. */
const failAt = (calls: RegExp, error = new Error("internals of the database")): void => {
  s.beforeCall = (call, all) => {
    if (all.some(({ pk, sk }) => calls.test(`${call} ${pk} ${sk}`))) throw error;
  };
};

const ask = (as: TestPlayer, body: unknown, key?: string): Promise<Result> =>
  s.call("POST /notifications/subscribe/{url_id}", { as, body, key });
const unsubscribe = (as: TestPlayer, query = {}): Promise<Result> =>
  s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as, query });

const itemsOf = async (prefix: string): Promise<StoredItem[]> =>
  (await scan(s)).filter(({ pk }) => pk.startsWith(prefix));

/** The paths of the subscriptions in the table, with their players. Expects guards and lists to agree with them. */
const subscriptions = async (): Promise<Record<string, string>> => {
  expect(await drift(s)).toEqual([]);
  const found = (await itemsOf("SECRET#")).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
  return Object.fromEntries(
    found.map(({ endpoint, player_id }) => [new URL(String(endpoint)).pathname, String(player_id)]),
  );
};

/** Expects an error as text, as of all notification endpoints, without the database's message. */
const expectText = ({ status: code, headers, text }: Result, is: number, expected: RegExp): void => {
  expect([code, headers["content-type"]], text).toEqual([is, "text/plain; charset=utf-8"]);
  expect(text).not.toMatch(/internals|DynamoDB|undefined/i);
  expect(text).toMatch(expected);
};

describe("a subscription", () => {
  it("is saved and returned as it was given, also in the form of a browser's PushSubscription", async () => {
    const ada = await s.join("Ada");
    const given = requestFor("/ada");
    const { headers, body } = await ask(ada, given);
    expect(headers["content-type"]).toBe(JSON_TYPE);
    expect(body).toEqual({
      subscription_id: expect.stringMatching(/^[\da-f-]{36}$/),
      player_id: ada.id,
      ...given,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const { endpoint, ...keys } = requestFor("/browser");
    for (const rest of [{ expirationTime: null }, { expirationTime: 1_795_000_000_000 }, {}])
      expect((await ask(ada, { endpoint, ...rest, keys })).body).toMatchObject({ endpoint, ...keys });
    expect(Object.keys(await subscriptions()).toSorted()).toEqual(["/ada", "/browser"]);
  });

  it("replaces an earlier one of the same endpoint, also another player's", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    const old = await subscribe(ada, "/shared");
    await subscribe(ada, "/ada");
    const renewed = await subscribe(ben, "/shared");
    expect(await subscriptions()).toEqual({ "/shared": ben.id, "/ada": ada.id });
    expect((await send(gm)).body).toMatchObject({ subscriptions: 2, sent: 2 });
    const [message] = push().received("/shared");
    if (message === undefined) throw new Error("nothing was received");
    expect(renewed.decrypt(message.body)).toContain("Curfew");
    expect(() => old.decrypt(message.body)).toThrow();
    expect(await unsubscribe(ada)).toMatchObject({ status: 204, text: "" });
    expect(await subscriptions()).toEqual({ "/shared": ben.id });
    expect((await unsubscribe(ada)).status).toBe(204);
  });

  it("that is sent again at each start of the app stays as it is; one that was removed is stored again", async () => {
    const [ada, ben] = await s.joinAll("Ada", "Ben");
    const given = requestFor("/ada");
    const first = (await ask(ada, given)).body;
    s.now += 60_000;
    const written: string[] = [];
    s.beforeCall = (call, all) => {
      if (call === "put" || call === "transact") written.push(...all.map(({ sk }) => sk));
    };
    expect((await ask(ada, given)).body).toEqual(first);
    s.beforeCall = undefined;
    expect(written).toEqual([]);
    const moved = (await ask(ben, given)).body;
    expect(moved).toMatchObject({ player_id: ben.id });
    expect(moved.created_at).not.toBe(first.created_at);
    await unsubscribe(ben, { endpoint: given.endpoint });
    const again = (await ask(ada, given)).body;
    expect(again.subscription_id).not.toBe(first.subscription_id);
    expect(await subscriptions()).toEqual({ "/ada": ada.id });
  });

  it("that is ended on all devices at once tells them so in /live; the end of one does not", async () => {
    const ada = await s.join("Ada");
    const live = async () => (await s.must("GET /live/{url_id}", { as: ada })).body;
    await subscribe(ada, "/phone");
    await unsubscribe(ada, { endpoint: requestFor("/phone").endpoint });
    expect(await live()).not.toHaveProperty("push_off_at");
    const at = s.now;
    await unsubscribe(ada);
    expect(Date.parse((await live()).push_off_at)).toBeGreaterThanOrEqual(at);
  });

  it.each<[string, (gm: TestPlayer, ada: TestPlayer) => Promise<Result>, boolean]>([
    ["one logout", (_, as) => s.call("POST /logout", { as }), false],
    ["a logout everywhere", (_, as) => s.call("POST /logout", { as, body: { everywhere: true } }), true],
    [
      "a new password",
      (_, { alias }) => {
        const passwords = { current_password: PASSWORD, new_password: "a better password" };
        return s.call("POST /change_password", { body: { alias, ...passwords } });
      },
      true,
    ],
    [
      "a password set by a code",
      async (gm, { alias }) => {
        const { body } = await s.must("POST /admin/recover_password/{url_id}", { as: gm, body: { alias } });
        const { recovery_code } = body;
        const passwords = { recovery_code, new_password: "a better password" };
        return s.call("POST /change_password", { body: { alias, ...passwords } });
      },
      true,
    ],
    ["a ban", (gm, { alias }) => s.call("POST /admin/ban/{url_id}", { as: gm, body: { alias } }), true],
  ])("after %s is left only with a session that is left", async (_, end, isEnded) => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const path of ["/phone", "/laptop"]) await subscribe(ada, path);
    await subscribe(ben, "/ben");
    expect((await end(gm, ada)).status).toBeLessThan(300);
    const left = isEnded ? {} : { "/phone": ada.id, "/laptop": ada.id };
    expect(await subscriptions()).toEqual({ ...left, "/ben": ben.id });
  });

  it.each<[string, (gm: TestPlayer, ada: TestPlayer) => Promise<Result>]>([
    ["a ban", (gm, { alias }) => s.call("POST /admin/ban/{url_id}", { as: gm, body: { alias } })],
    ["unsubscribing", (_, ada) => unsubscribe(ada)],
    ["the deletion of the account", (_, as) => s.call("DELETE /delete_player/{url_id}", { as })],
  ])("without its guard, as in a copy of a running game, ends by %s no less", async (_, end) => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    for (const path of ["/phone", "/laptop"]) await subscribe(ada, path);
    const [guard] = await itemsOf("SECRET#ENDPOINT#");
    const { pk = "", sk = "" } = guard ?? {};
    await s.store.commit([{ remove: { pk, sk } }], () => 10_000);
    expect(await drift(s)).toHaveLength(1);
    expect((await end(gm, ada)).status).toBeLessThan(300);
    expect(await subscriptions()).toEqual({});
  });

  it("moves to another player also if a copy of a running game has only its guard", async () => {
    const [ada, ben] = await s.joinAll("Ada", "Ben");
    await subscribe(ada, "/shared");
    const [{ pk, sk } = { pk: "", sk: "" }] = (await itemsOf("SECRET#")).filter((one) =>
      one.sk.startsWith("SUBSCRIPTION#"),
    );
    await s.store.commit([{ remove: { pk, sk } }], () => 10_000);
    await subscribe(ben, "/shared");
    expect(await subscriptions()).toEqual({ "/shared": ben.id });
  });

  it("makes its player one whom game masters can reach, counted by audience and once for several devices", async () => {
    const gm = await s.admin();
    const [ada, , cy] = await s.joinAll("Ada", "Ben", "Cy");
    await s.outbreak(gm, cy);
    for (const path of ["/ada", "/ada-2", "/cy"]) await subscribe(path === "/cy" ? cy : ada, path);
    await s.must("POST /admin/label/{url_id}", { as: gm, body: { aliases: ["Ben", "Cy"], add: ["waiver"] } });
    const counted = async (query: { audience?: string }) =>
      (await s.must("GET /admin/player_count/{url_id}", { as: gm, query })).body;
    expect(await counted({})).not.toHaveProperty("reachable");
    const counts = { all: 2, humans: 1, zombies: 1, corpses: 0, "label:waiver": 1 };
    for (const [audience, reachable] of Object.entries(counts))
      expect(await counted({ audience }), audience).toMatchObject({ reachable, total: 4 });
  });

  it("of a hidden original counts as that of a human for a game master who plays", async () => {
    const gm = await s.admin();
    const [zed, ann] = await s.joinAll("Zed", "Ann");
    const gus = await s.admin("Gus", true);
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { hide_originals: true } });
    await s.outbreak(gm, zed);
    await subscribe(zed, "/zed");
    await subscribe(ann, "/ann");
    const reachable = (as: TestPlayer) =>
      Promise.all(
        ["humans", "zombies"].map(async (audience) => {
          const { body } = await s.must("GET /admin/player_count/{url_id}", { as, query: { audience } });
          return [body[audience], body.reachable];
        }),
      );
    expect((await reachable(gm))[1]).toEqual([1, 1]);
    expect(await reachable(gus)).toEqual([
      [3, 2],
      [0, 0],
    ]);
  });

  it("of the caller ends by its endpoint, however the URL is spelt, or with all others; another player's stays", async () => {
    const [ada, ben] = await s.joinAll("Ada", "Ben");
    for (const path of ["/laptop", "/phone"]) await subscribe(ada, path);
    await subscribe(ben, "/ben");
    const { origin } = push();
    for (const [query, status, kept] of [
      [{ endpoint: "phone" }, 400, ["/laptop", "/phone"]],
      [{ endpoint: "" }, 400, ["/laptop", "/phone"]],
      [{ endpoint: `${origin}/ben` }, 204, ["/laptop", "/phone"]],
      [{ endpoint: `${origin.replace("https", "HTTPS")}/phone` }, 204, ["/laptop"]],
      [{ endpoint: `${origin}/phone` }, 204, ["/laptop"]],
      [{}, 204, []],
    ] as const) {
      const result = await unsubscribe(ada, query);
      expect(result.status).toBe(status);
      expect(Object.keys(await subscriptions()).toSorted()).toEqual(["/ben", ...kept]);
    }
  });

  it("is one of ten at most, also of twelve made concurrently; a new one replaces the oldest", async () => {
    const ada = await s.join("Ada");
    const results = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(ada, requestFor(`/${n}`))));
    expect(new Set(results.map((one) => one.status))).toEqual(new Set([200]));
    expect(Object.keys(await subscriptions())).toHaveLength(10);
    const newest = Array.from({ length: 10 }, (_, n) => `/new-${n}`);
    for (const path of newest) {
      s.now += 1_000;
      await subscribe(ada, path);
    }
    expect(Object.keys(await subscriptions()).toSorted()).toEqual(newest);
  });

  it("agrees with its guard also when another player takes it just before it is written", async () => {
    const [ada, ben] = await s.joinAll("Ada", "Ben");
    const put = (as: TestPlayer) => ask(as, requestFor("/shared"));
    for (const [as, other] of [[ada, ben] as const, [ben, ada] as const]) {
      s.beforeTransaction(() => put(other));
      await put(as);
      expect(await subscriptions()).toEqual({ "/shared": as.id });
    }
  });
});

describe("a notification", () => {
  it("is stored, and reaches every browser, encrypted for it alone and signed for its push service", async () => {
    const gm = await s.admin();
    const COUNTS = { subscriptions: 0, sent: 0, failed: 0, expired: 0, queued: 0 };
    const { notification: _, ...nobody } = (await send(gm)).body;
    expect(nobody).toEqual(COUNTS);
    const browsers = new Map<string, Browser>();
    for (const path of ["/Ada", "/Ben"])
      browsers.set(path, await subscribe(await s.join(path.slice(1)), path));
    const { status: is, headers, body } = await send(gm, undefined, { ...NEWS, title: "Ünruhe 🧟" });
    expect([is, headers["content-type"]]).toEqual([200, JSON_TYPE]);
    const { notification, ...counts } = body;
    expect(counts).toEqual({ ...COUNTS, subscriptions: 2, sent: 2 });
    const texts = { title: "Ünruhe 🧟", content: NEWS.content, player_group: "All", audience: "all" };
    const ids = { notification_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/), player_id: gm.id };
    expect(notification).toEqual({ ...ids, ...texts, created_at: expect.any(String) });
    const { notification_id: id, created_at } = notification;
    expect((await itemsOf("NOTIFICATIONS#")).at(-1)).toMatchObject({ ...notification, sk: id });
    const service = push();
    for (const [path, browser] of browsers) {
      const [message, ...more] = service.received(path);
      if (message === undefined) throw new Error(`nothing was received at ${path}`);
      expect(more).toEqual([]);
      expect(JSON.parse(browser.decrypt(message.body))).toEqual({
        web_push: 8030,
        notification: {
          title: "Game masters: Ünruhe 🧟",
          body: NEWS.content,
          navigate: "/app/inbox",
          tag: id,
        },
        notification_id: id,
        created_at,
      });
      expect(message.headers).toMatchObject({
        ...{ "content-encoding": "aes128gcm", "content-length": String(message.body.length) },
        ...{ ttl: "86400", urgency: "normal", topic: id.replaceAll("-", "") },
      });
      const { key, head, claims } = readVapid(message.headers.authorization?.toString());
      expect([key, head]).toEqual([VAPID.VAPID_PUBLIC_KEY, { typ: "JWT", alg: "ES256" }]);
      expect(claims).toEqual({ aud: service.origin, exp: expect.any(Number), sub: VAPID.VAPID_SUBJECT });
    }
  });

  it("ends the subscriptions that their service reports gone, and no other", async () => {
    const gm = await s.admin();
    // What other statuses mean is in tests/unit/deliver.test.ts.
    for (const code of [201, 403, 410, 503, 302]) {
      await subscribe(gm, `/${code}`);
      push().answer(`/${code}`, status(code, { location: requestFor("/elsewhere").endpoint }));
    }
    const counts = { sent: 1, failed: 2, queued: 1 };
    expect((await send(gm)).body).toMatchObject({ subscriptions: 5, expired: 1, ...counts });
    expect(push().received("/elsewhere")).toEqual([]);
    expect(Object.keys(await subscriptions()).toSorted()).toEqual(["/201", "/302", "/403", "/503"]);
    expect((await send(gm)).body).toMatchObject({ subscriptions: 4, expired: 0, ...counts });
  });

  it("keeps a subscription that was renewed or moved while its service reported it gone", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const path of ["/renewed", "/moved", "/gone"]) await subscribe(ada, path);
    const meanwhile = (path: string, who: TestPlayer): void =>
      push().answer(path, (response) => {
        void subscribe(who, path).then(() => status(410)(response));
      });
    meanwhile("/renewed", ada);
    meanwhile("/moved", ben);
    push().answer("/gone", status(410));
    expect((await send(gm)).body).toMatchObject({ subscriptions: 3, expired: 3 });
    expect(await subscriptions()).toEqual({ "/moved": ben.id, "/renewed": ada.id });
    // It counts as expired also when it cannot be removed.
    push().answer("/moved", status(404));
    push().answer("/renewed", status(201));
    failAt(/^transact .* ENDPOINT$/);
    expect((await send(gm)).body).toMatchObject({ subscriptions: 2, expired: 1 });
    failAt(/^$/);
    expect((await send(gm)).body).toMatchObject({ subscriptions: 2, expired: 1 });
    expect((await send(gm)).body).toMatchObject({ subscriptions: 1, expired: 0 });
  });

  it("is sent once for one Idempotency-Key, also when it is sent concurrently", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    const all = await Promise.all(Array.from({ length: 6 }, () => send(gm, "side-by-side")));
    expect(push().received()).toHaveLength(1);
    for (const one of all) expect([200, 409], one.text).toContain(one.status);
    expect((await send(gm, "side-by-side")).body).toMatchObject({ sent: 1 });
  });

  const UNSENT = /^The notification was saved but not sent: no push service accepted it/;

  it("that no service accepts is a 500, is stored, and is sent as the same one on retry", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    push().answer("/gm", status(403));
    expectText(await send(gm, "key"), 500, UNSENT);
    const [stored] = await itemsOf("NOTIFICATIONS#");
    const id = String(stored?.sk);
    expect(await statusOf(gm, id)).toMatchObject({ subscriptions: 1, failed: 1, queued: 0, complete: true });
    push().answer("/gm", status(201));
    const retried = await send(gm, "key");
    expect(retried.body, retried.text).toMatchObject({ sent: 1, notification: { notification_id: id } });
    expect((await send(gm, "key")).body).toEqual(retried.body);
    const both = push().received();
    expect(both).toHaveLength(2);
    expect(new Set(both.map(({ headers }) => headers.topic))).toEqual(new Set([id.replaceAll("-", "")]));
    expect(await itemsOf("NOTIFICATIONS#")).toHaveLength(1);
    // A service may accept it later, but there is no queue.
    push().answer("/gm", status(500));
    s.hasQueue = false;
    expectText(await send(gm), 500, UNSENT);
    // The list of allowed services has become shorter since.
    configure({ allowed: allowedHosts("") });
    expectText(await send(gm), 500, UNSENT);
    expect(Object.keys(await subscriptions())).toHaveLength(1);
  });

  // More go through the queue: tests/behaviour/delivery.test.ts.
  it("is sent to 200 within the request", async () => {
    const gm = await s.admin();
    await fillFor(gm, 200);
    expect((await send(gm)).body).toMatchObject({ subscriptions: 200, sent: 200, failed: 0, queued: 0 });
    expect(await s.queued()).toEqual([]);
  });

  it("is rejected when its text has too many bytes", async () => {
    const result = await send(await s.admin(), undefined, { ...NEWS, content: "🧟".repeat(2_000) });
    expectText(result, 400, /content is too/);
    expect(await itemsOf("NOTIFICATIONS#")).toEqual([]);
  });
});

it("the public key may be read by anybody; a deployment without one reports that, and lets players unsubscribe", async () => {
  const gm = await s.admin();
  const { headers, body } = await s.call("GET /notifications/vapid_public_key");
  expect(body).toEqual({ public_key: VAPID.VAPID_PUBLIC_KEY });
  expect(headers["content-type"]).toBe(JSON_TYPE);
  await subscribe(gm, "/gm");
  configure({ vapid: null });
  const NO_KEYS = /^This deployment has no VAPID keys/;
  expectText(await ask(gm, requestFor("/x")), 500, NO_KEYS);
  expectText(await send(gm), 500, NO_KEYS);
  expectText(await s.call("GET /notifications/vapid_public_key"), 500, NO_KEYS);
  expect(await itemsOf("NOTIFICATIONS#")).toEqual([]);
  expect((await unsubscribe(gm)).status).toBe(204);
  expect(await subscriptions()).toEqual({});
});

const lines = logLines();

it("the log reports the result of each push, and holds no message and nothing by which a browser is reached", async () => {
  const gm = await s.admin();
  const secrets: string[] = [];
  const given = async (path: string, more: Record<string, unknown> = {}) => {
    const body = requestFor(path);
    secrets.push(body.p256dh, body.auth, path.slice(1));
    return ask(gm, { ...body, ...more });
  };
  for (const [n, code] of [201, 403, 410, 500].entries()) {
    expect((await given(`/unmistakable-${n}`)).status).toBe(200);
    push().answer(`/unmistakable-${n}`, status(code));
  }
  await given("/unmistakable-5", { auth: "wrong" });
  const sent = await send(gm, undefined, { ...NEWS, content: "unmistakable" });
  expect(sent.body).toMatchObject({ sent: 1, failed: 1, expired: 1, queued: 1 });
  await send(gm, undefined, {});
  const { notification, ...counts } = sent.body;
  const details = { notification_id: notification.notification_id, ...counts };
  expect((await itemsOf("LOGS#")).filter(({ action }) => action === "send")).toMatchObject([
    { actor: gm.id, outcome: "done", details },
    { actor: gm.id, outcome: "invalid_request", details: {} },
  ]);
  configure({ ca: "" });
  expect((await send(gm)).body).toMatchObject({ sent: 0, queued: 3 });
  configure({ allowed: allowedHosts("") });
  expect((await send(gm)).status).toBe(500);
  failAt(/^transact/);
  await given("/unmistakable-7");
  await unsubscribe(gm);
  const text = lines.join("");
  for (const part of ['"reasons":{"201":1', "endpoint not allowed"]) expect(text).toContain(part);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(JSON.stringify(await itemsOf("LOGS#"))).not.toMatch(/unmistakable/);
  // Statements of game masters cannot reach the items that hold them.
  for (const item of await scan(s)) {
    const text = JSON.stringify(item);
    if (secrets.some((secret) => text.includes(secret))) expect(item.pk).toMatch(/^SECRET#/);
  }
});
