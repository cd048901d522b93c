/**
 * Notifications when things go wrong: the seed's table of statuses cell by cell, with the database made to
 * fail; races for an endpoint; requests that die half-way; and what must never be said.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { SECOND } from "../../../lib/domain/time.ts";
import { type Item, keyOfWrite, type StoredItem } from "../../../lib/dynamodb/database.ts";
import { DatabaseBusy } from "../../../lib/dynamodb/errors.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { allowedHosts } from "../../../lib/push/allowlist.ts";
import type { PushSettings } from "../../../lib/push/settings.ts";
import { noQueue } from "../../../lib/queue/queue.ts";
import { keys } from "../../../lib/store/keys.ts";
import { logLines } from "../../support/logLines.ts";
import { status, trustedPushService } from "../../support/pushService.ts";
import {
  QUICK,
  type RequestOptions,
  type Result,
  type Someone,
  testEnvironment,
} from "../../support/service.ts";
import { fillSubscriptions } from "../../support/subscribers.ts";
import { scan } from "../../support/table.ts";
import { makeBrowser } from "../../support/webPush.ts";

const push = trustedPushService();

/** What the database is asked for, and whether it is to fail. */
interface Faults {
  read: (key: Key) => boolean;
  query: (pk: string) => boolean;
  write: (keys: readonly Key[]) => boolean;
  fault: () => Error;
}
const NONE: Faults = { read: () => false, query: () => false, write: () => false, fault: () => new Error() };
let faults = NONE;
let settings: Partial<PushSettings> = {};
let passed = 0;
let hasQueue = true;

const s = testEnvironment({
  services: (usual) => {
    const { allowed, ca, subject, vapid } = { ...usual.push, ...push.services(usual).push };
    return {
      // Read at each request, so that a story can change them.
      push: {
        get vapid() {
          return settings.vapid === undefined ? vapid : settings.vapid;
        },
        subject,
        get allowed() {
          return settings.allowed ?? allowed;
        },
        get ca() {
          return settings.ca ?? ca ?? "";
        },
      },
      queue: { send: (messages) => (hasQueue ? usual.queue : noQueue).send(messages) },
      clock: () => usual.clock() + passed,
    };
  },
  database: (usual) => ({
    ...usual,
    async get(key, options) {
      if (faults.read(key)) throw faults.fault();
      return usual.get(key, options);
    },
    async query(range, limit, from) {
      if (faults.query(range.pk)) throw faults.fault();
      return usual.query(range, limit, from);
    },
    async transact(writes, token) {
      const named = writes.map(keyOfWrite);
      if (faults.write(named)) throw faults.fault();
      await usual.transact(writes, token);
    },
  }),
});

beforeEach(() => {
  faults = NONE;
  settings = {};
  passed = 0;
  hasQueue = true;
});

const SUBSCRIBE = "POST /notifications/subscribe/{url_id}";
const UNSUBSCRIBE = "DELETE /subscriptions/unsubscribe/{url_id}";
const SEND = "POST /notifications/send/{url_id}";
const KEY = "GET /notifications/vapid_public_key";

const NEWS = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };

const requestFor = (path: string) => {
  const { p256dh, auth } = makeBrowser();
  return { endpoint: `${push.current().origin}${path}`, p256dh, auth };
};

/** What an endpoint may be asked. */
const asked = (route: string): RequestOptions =>
  route === SUBSCRIBE ? { body: requestFor("/x") } : route === SEND ? { body: NEWS } : {};

const subscribe = async (as: Someone, path: string): Promise<Result> =>
  s.call(SUBSCRIBE, { as, body: requestFor(path) });

const send = (as: Someone, key?: string): Promise<Result> =>
  s.call(SEND, { as, body: NEWS, ...(key === undefined ? {} : { key }) });

const INTERNALS = "internals of the database";
const BROKEN = (): Error => new Error(INTERNALS);
const AWAY = (): Error => new DatabaseBusy(INTERNALS);

/** A cell of the seed's table: status, and the body or a part of it; always text, never the database's words. */
const expectCell = (result: Result, is: number, body: string | RegExp, what = ""): void => {
  const say = `${what}: ${result.status} ${result.text}`;
  expect(result.status, say).toBe(is);
  expect(result.headers["content-type"], say).toBe("text/plain; charset=utf-8");
  expect(result.headers["x-request-id"], say).toMatch(/./);
  expect(result.text, say).not.toMatch(/internals|Error|DynamoDB|undefined/i);
  if (typeof body === "string") expect(result.text, say).toBe(body);
  else expect(result.text, say).toMatch(body);
};

const itemsOf = async (prefix: string): Promise<StoredItem[]> =>
  (await scan(s)).filter(({ pk }) => pk.startsWith(prefix));

const subscriptions = async (): Promise<StoredItem[]> =>
  (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));

/** Every subscription has its guard, every guard its subscription, and nobody has more than ten. */
const expectSound = async (): Promise<StoredItem[]> => {
  const items = await scan(s);
  const found = items.filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
  const guards = items.filter(({ sk }) => sk === "ENDPOINT");
  const told = (all: readonly Item[]) =>
    all.map(({ subscription_id, player_id }) => `${subscription_id} ${player_id}`);
  expect(told(guards).toSorted()).toEqual(told(found).toSorted());
  expect(new Set(found.map(({ endpoint }) => endpoint)).size).toBe(found.length);
  const players = new Set(items.filter(({ sk }) => sk === "PROFILE").map(({ pk }) => pk));
  for (const [owner, own] of Map.groupBy(found, ({ player_id }) => String(player_id))) {
    expect(own.length).toBeLessThanOrEqual(10);
    expect(players).toContain(keys.player(owner).pk);
  }
  return found;
};

describe("the seed's table of statuses", () => {
  it("saving fails: 500", async () => {
    const gm = await s.admin();
    const isSubscription = ({ sk }: Key) => sk.startsWith("SUBSCRIPTION#");
    // What a key has answered is looked up when it comes again.
    expect((await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm, key: "k" })).status).toBe(200);
    expect((await s.call(UNSUBSCRIBE, { as: gm })).status).toBe(204);
    expect((await send(gm, "l")).status).toBe(200);
    const before = await itemsOf("NOTIFICATIONS#");
    faults = { ...NONE, write: (all) => all.some(isSubscription), fault: BROKEN };
    expectCell(
      await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm }),
      500,
      "The subscription could not be saved.",
    );
    for (const fault of [BROKEN, AWAY]) {
      faults = { ...NONE, read: ({ sk }) => sk === "ENDPOINT", fault };
      expectCell(
        await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm }),
        500,
        "The subscription could not be saved.",
      );
      faults = { ...NONE, query: (pk) => pk === `SECRET#${gm.id}`, fault };
      expectCell(
        await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm }),
        500,
        "The subscription could not be saved.",
      );
      faults = { ...NONE, read: ({ pk }) => pk.startsWith("SECRET#ONCE#"), fault };
      expectCell(
        await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm, key: "k" }),
        500,
        /could not be saved/,
      );
      expectCell(await send(gm, "l"), 500, "The notification could not be saved.");
    }
    faults = {
      ...NONE,
      write: (all) => all.some(({ pk }) => pk.startsWith("NOTIFICATIONS#")),
      fault: BROKEN,
    };
    expectCell(await send(gm), 500, "The notification could not be saved.");
    faults = NONE;
    expect(await subscriptions()).toEqual([]);
    expect(await itemsOf("NOTIFICATIONS#")).toEqual(before);
    expect(push.current().received()).toEqual([]);
  });

  it("removing subscriptions fails: 500", async () => {
    const ada = await s.join("Ada");
    await subscribe(ada, "/ada");
    faults = { ...NONE, write: () => true, fault: BROKEN };
    expectCell(await s.call(UNSUBSCRIBE, { as: ada }), 500, "The subscriptions could not be removed.");
    for (const fault of [BROKEN, AWAY]) {
      faults = { ...NONE, query: () => true, fault };
      expectCell(await s.call(UNSUBSCRIBE, { as: ada }), 500, "The subscriptions could not be removed.");
    }
    faults = NONE;
    expect(await subscriptions()).toHaveLength(1);
  });

  it("sending the push fails: 500, with the notification saved", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    for (const fault of [BROKEN, AWAY]) {
      faults = { ...NONE, query: (pk) => pk.startsWith("SECRET#SUBSCRIPTIONS#"), fault };
      expectCell(await send(gm), 500, /saved, and not sent: the subscriptions could not be read/);
    }
    faults = NONE;
    push.current().answer("/gm", status(400));
    expectCell(await send(gm), 500, /saved, and not sent: no push service took it/);
    const before = push.current().received().length;
    // The list of services has become shorter since.
    settings = { allowed: allowedHosts("") };
    expectCell(await send(gm), 500, /no push service took it/);
    expect(push.current().received()).toHaveLength(before);
    expect(await itemsOf("NOTIFICATIONS#")).toHaveLength(4);
    expect(await subscriptions()).toHaveLength(1);
  });

  it("sending may still succeed: 200, and what may pass is queued", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    push.current().answer("/gm", status(500));
    expect(await send(gm)).toMatchObject({ status: 200, body: { sent: 0, failed: 0, queued: 1 } });
    // Whom we do not trust we tell nothing.
    const before = push.current().received().length;
    settings = { ca: "" };
    expect(await send(gm)).toMatchObject({ status: 200, body: { sent: 0, failed: 0, queued: 1 } });
    expect(push.current().received()).toHaveLength(before);
  });

  it("sending what may pass fails where there is no queue: 500", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    push.current().answer("/gm", status(500));
    hasQueue = false;
    expectCell(await send(gm), 500, /saved, and not sent: no push service took it/);
  });

  it("beside it: a deployment without keys says so, and lets players go", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    settings = { vapid: null };
    const NO_KEYS = /^This deployment has no VAPID keys/;
    expectCell(await s.call(SUBSCRIBE, { ...asked(SUBSCRIBE), as: gm }), 500, NO_KEYS);
    expectCell(await send(gm), 500, NO_KEYS);
    expectCell(await s.call(KEY), 500, NO_KEYS);
    expect(await itemsOf("NOTIFICATIONS#")).toEqual([]);
    expect((await s.call(UNSUBSCRIBE, { as: gm })).status).toBe(204);
    expect(await subscriptions()).toEqual([]);
  });
});

describe("an endpoint", () => {
  it("is one of ten at most, also when twenty are subscribed at once", async () => {
    const ada = await s.join("Ada");
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => subscribe(ada, `/${n}`)));
    expect(new Set(results.map((one) => one.status))).toEqual(new Set([200]));
    expect(await expectSound()).toHaveLength(10);
  });

  it("is sound after any mixture of subscribing, unsubscribing and leaving at once", async () => {
    const RUNS = QUICK ? 8 : 25;
    let cases = 0;
    let names = 0;
    const deed = fc.record({
      who: fc.nat(2),
      what: fc.oneof(
        { weight: 6, arbitrary: fc.record({ path: fc.constantFrom("/a", "/b", "/c") }) },
        { weight: 2, arbitrary: fc.constant("unsubscribe" as const) },
        { weight: 1, arbitrary: fc.constant("leave" as const) },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 2, maxLength: 8 }), async (deeds) => {
        cases += 1;
        names += 1;
        const crowd = await Promise.all([0, 1, 2].map((n) => s.join(`Player ${names} ${n}`)));
        const results = await Promise.all(
          deeds.map(({ who, what }) => {
            const as = crowd[who];
            if (as === undefined) throw new Error("nobody");
            if (what === "unsubscribe") return s.call(UNSUBSCRIBE, { as });
            if (what === "leave") return s.call("DELETE /delete_player/{url_id}", { as });
            return subscribe(as, what.path);
          }),
        );
        for (const result of results) expect([200, 204, 403, 404], result.text).toContain(result.status);
        await expectSound();
      }),
      { numRuns: RUNS },
    );
    expect(cases).toBe(RUNS);
  });

  it("that has expired is kept when it was renewed or has moved while the message was on its way", async () => {
    const gm = await s.admin();
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    for (const path of ["/renewed", "/moved", "/gone"]) await subscribe(ada, path);
    const meanwhile = (path: string, who: Someone): void =>
      push.current().answer(path, (response) => {
        void subscribe(who, path).then(() => status(410)(response));
      });
    meanwhile("/renewed", ada);
    meanwhile("/moved", ben);
    push.current().answer("/gone", status(410));
    const result = await send(gm);
    expect(result.body, result.text).toMatchObject({ subscriptions: 3, expired: 3 });
    const left = await expectSound();
    expect(
      left.map(({ endpoint, player_id }) => [new URL(String(endpoint)).pathname, player_id]).toSorted(),
    ).toEqual([
      ["/moved", ben.id],
      ["/renewed", ada.id],
    ]);
  });

  it("that has expired is told so also when it cannot be removed", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gone");
    push.current().answer("/gone", status(404));
    faults = { ...NONE, write: (all) => all.some(({ sk }) => sk === "ENDPOINT"), fault: BROKEN };
    expect((await send(gm)).body).toMatchObject({ subscriptions: 1, expired: 1 });
    faults = NONE;
    expect((await send(gm)).body).toMatchObject({ subscriptions: 1, expired: 1 });
    expect((await send(gm)).body).toMatchObject({ subscriptions: 0, expired: 0 });
  });
});

const statusOf = async (as: Someone, sent: Result): Promise<Result["body"]> => {
  const query = { notification_id: sent.body.notification.notification_id };
  const result = await s.call("GET /notifications/status/{url_id}", { as, query });
  expect(result.status, result.text).toBe(200);
  expect(result.body.notification).toEqual(sent.body.notification);
  return result.body;
};

const paths = (): string[] =>
  push
    .current()
    .received()
    .map(({ path }) => path);

/** Puts subscriptions straight into the table, with paths from `/from` on. */
const subscribers = (playerId: string, count: number, from = 0): Promise<void> =>
  fillSubscriptions(
    s.place(),
    push.current().origin,
    Array.from({ length: count }, (_, n) => ({ playerId, path: `/${from + n}` })),
  );

describe("a notification", () => {
  it("to two hundred is sent within the request, and to more by the queue", async () => {
    const gm = await s.admin();
    await subscribers(gm.id, 200);
    expect((await send(gm)).body).toMatchObject({ subscriptions: 200, sent: 200, failed: 0, queued: 0 });
    expect(await s.queued()).toEqual([]);
    push.current().reset();
    await subscribers(gm.id, 1, 200);
    const many = await send(gm);
    expect(many.body, many.text).toMatchObject({ subscriptions: 201, sent: 0, failed: 0, queued: 201 });
    expect(push.current().received()).toEqual([]);
    expect(await statusOf(gm, many)).toMatchObject({ queued: 201, complete: false });
    await s.work();
    expect(await statusOf(gm, many)).toMatchObject({ sent: 201, queued: 0, complete: true });
    expect(new Set(paths()).size).toBe(201);
    expect(paths()).toHaveLength(201);
  });

  it("whose answer could not be kept is answered all the same, and taken up by a retry after half a minute", async () => {
    const gm = await s.admin();
    await subscribe(gm, "/gm");
    let jobs = 0;
    const isEnd = (all: readonly Key[]): boolean => {
      if (all.some(({ sk }) => sk === "JOB")) jobs += 1;
      return jobs > 1;
    };
    faults = { ...NONE, write: isEnd, fault: BROKEN };
    const first = await send(gm, "key");
    expect(first.body, first.text).toMatchObject({ sent: 1 });
    faults = NONE;
    expectCell(await send(gm, "key"), 409, /still being worked on/);
    expect(push.current().received()).toHaveLength(1);
    passed = 31 * SECOND;
    const retried = await send(gm, "key");
    expect(retried.body, retried.text).toEqual(first.body);
    // What was written down is not pushed again.
    expect(push.current().received()).toHaveLength(1);
    expect((await send(gm, "key")).body).toEqual(first.body);
    expect(await itemsOf("NOTIFICATIONS#")).toHaveLength(1);
  });
});

describe("the log", () => {
  const lines = logLines();

  it("says what became of a push, and holds nothing by which a browser is reached", async () => {
    const gm = await s.admin();
    const secrets: string[] = [];
    const given = async (path: string, more: Record<string, unknown> = {}) => {
      const body = requestFor(path);
      secrets.push(body.p256dh, body.auth, path.slice(1));
      return s.call(SUBSCRIBE, { as: gm, body: { ...body, ...more } });
    };
    for (const [path, manner] of [
      ["/unmistakable-1", status(201)],
      ["/unmistakable-2", status(403)],
      ["/unmistakable-3", status(410)],
      ["/unmistakable-4", status(500)],
    ] as const) {
      expect((await given(path)).status).toBe(200);
      push.current().answer(path, manner);
    }
    await given("/unmistakable-5", { auth: "wrong" });
    await given("/unmistakable-6", { nonsense: true });
    expect((await send(gm)).body).toMatchObject({ sent: 1, failed: 1, expired: 1, queued: 1 });
    settings = { ca: "" };
    expect((await send(gm)).body).toMatchObject({ sent: 0, queued: 3 });
    settings = { allowed: allowedHosts("") };
    expect((await send(gm)).status).toBe(500);
    faults = { ...NONE, write: () => true, fault: BROKEN };
    await given("/unmistakable-7");
    await s.call(UNSUBSCRIBE, { as: gm });
    const said = lines.join("");
    expect(said).toContain("push services refuse our VAPID key");
    expect(said).toContain('"reasons":{"201":1');
    expect(said).toContain("endpoint not allowed");
    for (const secret of secrets) expect(said).not.toContain(secret);
    expect(JSON.stringify(await itemsOf("LOGS#"))).not.toMatch(/unmistakable/);
    // Whatever holds them is out of reach of queries.
    for (const item of await scan(s)) {
      if (secrets.some((secret) => JSON.stringify(item).includes(secret)))
        expect(item.pk).toMatch(/^SECRET#/);
    }
  });
});
