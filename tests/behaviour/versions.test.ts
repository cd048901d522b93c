/**
 * Tables of earlier and later versions can be read and played on, and nothing new is stored without a fixture of it
 * (docs/decisions/0025-versions.md).
 */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import type { RawItem } from "../../lib/dynamodb/rawItem.ts";
import { keyOf, rawKey } from "../../lib/dynamodb/rawItem.ts";
import { openBatchWriter } from "../../scripts/archive/batches.ts";
import { scanAll } from "../../scripts/archive/scan.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { archives } from "../support/archives.ts";
import {
  everyKind,
  type Fixture,
  kindOf,
  type People,
  playEveryKind,
  readFixture,
  shapesOf,
  UNKNOWN_ATTRIBUTE,
  versions,
  withUnknownAttributes,
  writeFixture,
} from "../support/itemFixtures.ts";
import { trustedPushService } from "../support/pushService.ts";
import { drift as allDrift } from "../support/recount.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const push = trustedPushService();

const s = testEnvironment({ at: Date.now(), services: push.services });
const { openTable } = archives(s);
const { done } = shortRequests(s);

/** The inconsistencies of a table, but for words and references that its version did not store: a recount writes these. */
const drift = async () =>
  (await allDrift(s)).filter(({ kind }) => kind !== "search word" && kind !== "reference guard");

const nameOf = (item: RawItem): string => `${keyOf(item).pk} ${keyOf(item).sk}`;

const allItems = async (): Promise<RawItem[]> => {
  const items: RawItem[] = [];
  await scanAll(openTable(), (page) => {
    items.push(...page);
  });
  return items;
};

/** Replaces the table by a game, and sets the clock to when it was stored. */
const restore = async ({ items, at: left }: Pick<Fixture, "items" | "at">): Promise<void> => {
  const writing = openBatchWriter(openTable(), () => {});
  const there = new Set(items.map(nameOf));
  for (const item of await allItems())
    if (!there.has(nameOf(item))) await writing.add({ DeleteRequest: { Key: rawKey(keyOf(item)) } });
  for (const Item of items) await writing.add({ PutRequest: { Item } });
  await writing.end();
  s.now = left + 1_000;
};

const someone = (people: People, name: string): TestPlayer => {
  const found = people[name];
  if (found === undefined) throw new Error(`${name} has not played`);
  return found;
};

/** A response without log entries of this test, and without what differs each time. */
const steady = ({ status, body, bytes }: Result, left: string): unknown => {
  if (body === undefined) return { status, bytes: bytes.toString("base64") };
  const logs = body.logs?.filter((entry: { at: string }) => entry.at < left);
  return { status, body: { ...body, logs, next_cursor: undefined, request_id: undefined } };
};

const ALIASED = ["POST /get_player/{url_id}", "POST /get_pfp/{url_id}"];

/**
 * The responses of all reading endpoints to several players.
 * @param everything to each of them from all endpoints; otherwise from game masters' endpoints to the game master who does not
 *   play, and from the others to the rest
 */
const views = async (
  { people, items, at: left }: Fixture,
  everything: boolean,
): Promise<Map<string, unknown>> => {
  // The archive has the items as they are stored, which are compared below.
  const routes = [...(await loadEndpoints()).keys()].filter(
    (route) => route.startsWith("GET ") && !route.includes("/archive/"),
  );
  const { notification_id: news } = items.find((item) => item.player_group !== undefined) ?? {};
  const seen = new Map<string, unknown>();
  const see = async (name: string, route: string, options: RequestOptions): Promise<void> => {
    const answer = await s.call(route, { as: someone(people, name), ...options });
    seen.set(`${name}: ${route}`, steady(answer, new Date(left).toISOString()));
  };
  for (const name of ["ada", "dee", "gm", "master"]) {
    const isOf = (route: string): boolean => route.includes("/admin/") === (name === "master");
    for (const route of everything ? routes : routes.filter(isOf)) {
      await see(name, route, route.includes("/status/") ? { query: { notification_id: news?.S ?? "" } } : {});
    }
    for (const route of ALIASED) await see(name, route, { body: { alias: "Dée" } });
  }
  return seen;
};

/** Plays on with commands that change items of every kind, none of which may fail. More are in `tests/battery/model`. */
const playOn = async (people: People): Promise<void> => {
  const [gm, ada] = [someone(people, "gm"), someone(people, "ada")];
  const [ben, dee] = [someone(people, "ben"), someone(people, "dee")];
  // A stored response is returned again.
  await s.must("POST /admin/feed/{url_id}", { as: gm, body: { n: 49 }, key: "dinner" });
  for (const one of [gm, ada, ben, dee]) await s.login(one.alias === "Dee" ? "Dée" : one.alias, one.password);
  await done(gm, "feed_player", { player_id: ada.id });
  const hunted = await s.hunt(ada, (await s.see(ben)).tag_code, { note: "by the pond" });
  const { interaction_id } = hunted.body.interaction;
  await done(gm, "void_hunt", { interaction_id, reason: "A mistake." });
  for (const word of ["zombies_add_day", "pause_game", "resume_game"]) await done(gm, word);
  await done(gm, "set_checkpoint", { name: "The gate" });
  await done(gm, "edit_player", { player_id: dee.id, alias_to: "Dee again" });
  // Late enough that zombies who were fed are warned too.
  await s.pass(67 * HOUR);
  expect((await s.sweep()).warned).toBeGreaterThan(0);
  await s.must("POST /logout", { as: dee });
  const new_password = "something quite other";
  const change = { alias: "Dee again", current_password: dee.password, new_password };
  await s.must("POST /change_password", { body: change });
  const as = await s.login("Dee again", new_password);
  await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as });
  expect((await done(gm, "kill_all_not_at_checkpoint")).complete).toBe(true);
  await s.sweep();
  expect(await drift()).toEqual([]);
};

const newest = () => readFixture(versions().at(-1) ?? "none");

it.each(versions())(
  "a game that %s has stored is readable, also with attributes of a later version, and keeps these when it is played on",
  async (version) => {
    const fixture = readFixture(version);
    // The newest has items of every kind, so the others are seen only once.
    const isNewest = version === versions().at(-1);
    if (isNewest) await restore(fixture);
    const plain = isNewest ? await views(fixture, true) : undefined;
    await restore({ ...fixture, items: fixture.items.map(withUnknownAttributes) });
    expect(await drift()).toEqual([]);
    const seen = await views(fixture, isNewest);
    if (plain !== undefined) expect(seen).toEqual(plain);
    expect(seen.size).toBeGreaterThan(60);
    for (const [route, answer] of seen) {
      // Not everybody is a zombie, a game master, or has a picture.
      const status = expect.toSatisfy((given) => given < 500 && given !== 400);
      expect(answer, route).toMatchObject({ status });
    }
    const shown = JSON.stringify(seen.get("gm: GET /interactions/{url_id}"));
    const stored = fixture.items.filter(({ pk }) => pk?.S?.startsWith("INTERACTIONS#"));
    for (const { kind } of stored) if (kind?.S !== undefined) expect(shown).toContain(kind.S);
    await playOn(fixture.people);
    const were = new Map(fixture.items.map((item) => [nameOf(item), item]));
    const changed = (await allItems()).filter((item) => {
      const old = were.get(nameOf(item));
      return old !== undefined && item.rev?.N !== old.rev?.N;
    });
    const kinds = new Set(changed.map((item) => kindOf(keyOf(item))));
    for (const kind of ["profile", "credential", "sessions", "game-state", "game-warned"])
      expect([...kinds]).toContain(kind);
    // A change of the password has ended all sessions: this is a new item.
    const anew = `SECRET#${someone(fixture.people, "dee").id} SESSIONS`;
    for (const item of changed)
      expect(item[UNKNOWN_ATTRIBUTE], nameOf(item)).toEqual(nameOf(item) === anew ? undefined : { S: "?" });
    // The entries of meals and of the latest kills keep them too.
    const huntsOf = (of: RawItem | undefined) => [...(of?.meals?.L ?? []), ...(of?.latest_kills?.L ?? [])];
    const kept = changed.flatMap((item) => {
      const known = new Set(huntsOf(were.get(nameOf(item))).flatMap(({ M }) => M?.hunt?.S ?? []));
      return huntsOf(item).filter(({ M }) => known.has(M?.hunt?.S ?? ""));
    });
    expect(kept.length).toBeGreaterThan(2);
    for (const { M } of kept) expect(M?.[UNKNOWN_ATTRIBUTE]).toEqual({ S: "?" });
  },
);

describe("what this version stores", () => {
  it("has kinds and shapes that the newest fixture has, or a new fixture is needed", async () => {
    await playEveryKind(s, push.current());
    const [written, known] = [shapesOf(await allItems()), shapesOf(newest().items)];
    const advice = "docs/decisions/0025-versions.md says how to write another fixture";
    expect([...written.difference(known)], advice).toEqual([]);
  });

  it("has a fixture for every key", () => {
    const known = new Set(newest().items.map((item) => kindOf(keyOf(item))));
    expect([...everyKind()].filter((kind) => !known.has(kind))).toEqual([]);
  });
});

/** Writes the fixture of a new version, on request. */
const VERSION = process.env.ITEMS_VERSION;
if (VERSION !== undefined) {
  it("writes a fixture of what this version stores", async () => {
    const people = await playEveryKind(s, push.current());
    writeFixture({ version: VERSION, at: s.now, people, items: await allItems() });
    expect(versions()).toContain(VERSION);
  });
}
