/** Rotating the deployment's keys during a game: browsers are still reached, and lists can be read to their ends. */
import { beforeEach, expect, it } from "vitest";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { otherVapid } from "../support/constants.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { readVapid } from "../support/webPush.ts";

const { s, push, subscribe, send } = pushEnvironment();
const [OLD, NEW] = [otherVapid(), otherVapid()];

/** The parameters as `npm run rotate` writes them; `null` while they cannot be read. */
let vapid: { public_key: string; private_key: string; since: string }[] = [];
let cursors: [] | null = [];

beforeEach(() => {
  const { clock } = s.services;
  const read = async (value: unknown): Promise<string> => {
    if (value === null) throw Object.assign(new Error("slow down"), { name: "ThrottlingException" });
    return JSON.stringify(value);
  };
  const source = { parameter: "/zombie-game/spring/vapid-keys", clock, read: () => read(vapid) };
  s.services.push = { ...s.services.push, vapid: source };
  const parameter = "/zombie-game/spring/cursor-keys";
  s.services.cursorKeys = { parameter, clock, read: () => read(cursors) };
});

const stored = ({ publicKey, privateKey }: typeof OLD, since: number) => ({
  public_key: publicKey,
  private_key: privateKey,
  since: rfc3339(since),
});

it("VAPID keys that are rotated reach every browser by the key that it subscribed with", async () => {
  const gm = await s.admin();
  /** Subscribes at a push service that accepts one key, and responds with this status to any other. */
  const subscribeWith = async (path: string, key: string, otherwise: number): Promise<void> => {
    push().answer(path, (response) => {
      const { key: used } = readVapid(response.req.headers.authorization);
      response.writeHead(used === key ? 201 : otherwise).end();
    });
    await subscribe(gm, path);
  };
  const publicKey = async () => (await s.call("GET /notifications/vapid_public_key")).body.public_key;
  const keysAt = (path: string): string[] =>
    push()
      .received(path)
      .map(({ headers }) => readVapid(headers.authorization?.toString()).key);

  vapid = [stored(OLD, s.now - MINUTE)];
  expect(await publicKey()).toBe(OLD.publicKey);
  // The next key is stored ten minutes before a browser gets it, so that every function has read it by then.
  vapid = [stored(NEW, s.now + 10 * MINUTE), ...vapid];
  s.now += 6 * MINUTE;
  expect(await publicKey()).toBe(OLD.publicKey);
  await subscribeWith("/before", OLD.publicKey, 401);
  s.now += 5 * MINUTE;
  expect(await publicKey()).toBe(NEW.publicKey);
  await subscribeWith("/after", NEW.publicKey, 403);
  // Two browsers that read the key before its rotation, and subscribed with it afterwards.
  await subscribeWith("/late", OLD.publicKey, 403);
  await subscribeWith("/late-too", OLD.publicKey, 401);

  expect((await send(gm)).body).toMatchObject({ subscriptions: 4, sent: 4, failed: 0 });
  expect(keysAt("/before")).toEqual([OLD.publicKey]);
  expect(keysAt("/after")).toEqual([NEW.publicKey]);
  for (const path of ["/late", "/late-too"]) expect(keysAt(path)).toEqual([NEW.publicKey, OLD.publicKey]);

  // Without the old key its browsers are not reached, and stay subscribed.
  vapid = vapid.slice(0, 1);
  s.now += 9 * MINUTE;
  expect((await send(gm)).body).toMatchObject({ subscriptions: 4, sent: 1, failed: 3, expired: 0 });
});

// The use of keys that were read before is tested in tests/unit/secrets.test.ts.
it("a list that needs a cursor is 503 while the keys of cursors cannot be read", async () => {
  cursors = null;
  const [ada] = await s.joinAll("Ada", "Ben");
  const read = (query: Record<string, string>) => s.call("GET /users/{url_id}", { as: ada, query });
  expect(await read({ limit: "1" })).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect((await read({})).body.users).toHaveLength(2);
});
