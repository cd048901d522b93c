/** Rotating the deployment's keys during a game: browsers are still reached, and lists can be read to their ends. */
import { expect, it } from "vitest";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { otherVapid } from "../support/constants.ts";
import type { Responder } from "../support/pushService.ts";
import { trustedPushService } from "../support/pushService.ts";
import { testEnvironment } from "../support/service.ts";
import { makeBrowser, readVapid } from "../support/webPush.ts";

const push = trustedPushService();
const [OLD, NEW] = [otherVapid(), otherVapid()];
const CURSOR_KEY = Buffer.alloc(32, 1).toString("base64url");

/** The parameters as `npm run rotate` writes them; `null` while they cannot be read. */
let vapid: { public_key: string; private_key: string; since: string }[] = [];
let cursors: { key: string; since: string }[] | null = [];
/** How far the clock is ahead, in milliseconds, so that keys are read again. */
let later = 0;

const s = testEnvironment({
  services: (usual) => {
    const read = async (value: unknown): Promise<string> => {
      if (value === null) throw Object.assign(new Error("slow down"), { name: "ThrottlingException" });
      return JSON.stringify(value);
    };
    const clock = () => usual.clock() + later;
    return {
      ...push.services(usual),
      push: {
        ...usual.push,
        ...push.services(usual).push,
        vapid: { parameter: "/zombie-game/spring/vapid-keys", clock, read: () => read(vapid) },
      },
      cursorKeys: { parameter: "/zombie-game/spring/cursor-keys", clock, read: () => read(cursors) },
      clock,
    };
  },
});

const stored = ({ publicKey, privateKey }: typeof OLD, since: number) => ({
  public_key: publicKey,
  private_key: privateKey,
  since: rfc3339(since),
});

/** A push service that accepts one key, and responds with this status to any other. */
const knowing =
  (key: string, otherwise: number): Responder =>
  (response) => {
    const header = response.req.headers.authorization;
    response.writeHead(readVapid(header).key === key ? 201 : otherwise).end();
  };

const publicKey = async (): Promise<string> => {
  const { body } = await s.call("GET /notifications/vapid_public_key");
  return body.public_key;
};

it("VAPID keys that are rotated reach every browser by the key that it subscribed with", async () => {
  const gm = await s.admin();
  const subscribe = async (path: string, key: string, otherwise: number): Promise<void> => {
    push.current().answer(path, knowing(key, otherwise));
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: `${push.current().origin}${path}`, p256dh, auth };
    const { status } = await s.call("POST /notifications/subscribe/{url_id}", { as: gm, body });
    expect(status).toBe(200);
  };
  const send = async () => {
    const body = { title: "Curfew", content: "By nine.", player_groups: "All" };
    return (await s.call("POST /notifications/send/{url_id}", { as: gm, body })).body;
  };
  const keysAt = (path: string): string[] =>
    push
      .current()
      .received(path)
      .map(({ headers }) => readVapid(headers.authorization?.toString()).key);

  later = 0;
  const start = s.services.clock();
  vapid = [stored(OLD, start - MINUTE)];
  expect(await publicKey()).toBe(OLD.publicKey);
  await subscribe("/before", OLD.publicKey, 403);
  // All functions know the next key before any browser gets it.
  const since = start + 10 * MINUTE;
  vapid = [stored(NEW, since), ...vapid];
  later = 6 * MINUTE;
  expect(await publicKey()).toBe(OLD.publicKey);
  await subscribe("/meanwhile", OLD.publicKey, 401);
  later = 11 * MINUTE;
  expect(await publicKey()).toBe(NEW.publicKey);
  await subscribe("/after", NEW.publicKey, 403);
  // Two that read the key before its rotation, and subscribed with it afterwards.
  await subscribe("/late", OLD.publicKey, 403);
  await subscribe("/late-too", OLD.publicKey, 401);

  expect(await send()).toMatchObject({ subscriptions: 5, sent: 5, failed: 0 });
  expect(keysAt("/before")).toEqual([OLD.publicKey]);
  expect(keysAt("/meanwhile")).toEqual([OLD.publicKey]);
  expect(keysAt("/after")).toEqual([NEW.publicKey]);
  for (const path of ["/late", "/late-too"]) expect(keysAt(path)).toEqual([NEW.publicKey, OLD.publicKey]);

  // Without the old key its browsers are not reached, and stay subscribed.
  vapid = vapid.slice(0, 1);
  later = 20 * MINUTE;
  expect(await send()).toMatchObject({ subscriptions: 5, sent: 1, failed: 4, expired: 0 });
});

it("a list that needs a cursor is 503 while the keys of cursors cannot be read", async () => {
  cursors = null;
  const [ada] = [await s.join("Ada"), await s.join("Ben")];
  const read = (query: Record<string, string>) => s.call("GET /users/{url_id}", { as: ada, query });
  expect(await read({ limit: "1" })).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect((await read({})).body.users).toHaveLength(2);
  cursors = [{ key: CURSOR_KEY, since: rfc3339(s.services.clock() - MINUTE) }];
  later = 40 * MINUTE;
  const { next_cursor: cursor } = (await read({ limit: "1" })).body;
  // Keys that were read before are used while they cannot be read again.
  cursors = null;
  later = 80 * MINUTE;
  expect((await read({ limit: "1", cursor })).body.users).toMatchObject([{ alias: "Ben" }]);
});
