/** Reading the history of one player, the leaderboards page by page, and the inbox. */
import { expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { HOUR } from "../../lib/domain/time.ts";
import { firstIdAt, keys } from "../../lib/store/keys.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { asWorker } from "../support/calls.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { Result, Someone } from "../support/service.ts";
import { insertRecord } from "../support/streamRecords.ts";
import { fill, scan } from "../support/table.ts";

const { s, push, disturbed, subscribe, send } = pushEnvironment();

type Query = Record<string, string | number>;
const history = (as: Someone, query: Query): Promise<Result> =>
  s.call("GET /interactions/{url_id}", { as, query });
const kindsOf = async (as: Someone, query: Query): Promise<string[]> =>
  (await history(as, query)).body.interactions.map(({ kind }: { kind: string }) => kind);
const board = async (as: Someone, query: Query): Promise<Result["body"]> =>
  (await s.must("GET /interactions/leaderboard/{url_id}", { as, query })).body;
const inbox = async (as: Someone, query: Query = {}): Promise<Result["body"]> =>
  (await s.must("GET /notifications/inbox/{url_id}", { as, query })).body;
const upon = (as: Someone, what: string, alias: string) =>
  s.must(`POST /admin/${what}/{url_id}`, { as, body: { alias } });

it("shows what a player did, suffered or was fed by, also since an interaction", async () => {
  const [gm, zed, ada, ben, cid] = await s.game("Zed", "Ada", "Ben", "Cid");
  await s.hunt(zed, ada);
  const { interaction } = (await s.hunt(zed, ben, { share_with: ["Ada"] })).body;
  await s.hunt(ben, cid);
  const body = { interaction_id: interaction.interaction_id, reason: "No." };
  await s.must("POST /admin/void_hunt/{url_id}", { as: gm, body });
  expect(await kindsOf(cid, { player: "Ada" })).toEqual(["hunt", "hunt"]);
  expect(await kindsOf(cid, { player: (await s.see(ada)).player_ref })).toEqual(["hunt", "hunt"]);
  expect(await kindsOf(ben, { player: "me" })).toEqual(["void", "hunt", "hunt"]);
  expect(await kindsOf(ben, { player: "zed", kind: "hunt" })).toEqual(["hunt", "hunt"]);
  // The void concerns Zed, whose hunt it was.
  expect(await kindsOf(ben, { player: "zed", after: interaction.interaction_id })).toEqual(["void"]);
  expect(await kindsOf(ben, { after: interaction.interaction_id })).toEqual(["void", "hunt"]);
  expect(await kindsOf(gm, { target: "Ben", actor: "Zed" })).toEqual(["hunt"]);
  expect(await kindsOf(gm, { target: "Ben" })).toEqual(["void", "hunt"]);
  expect((await history(zed, { target: "Ben" })).body.code).toBe("not_administrator");
  expect((await history(zed, { player: "Nobody" })).body.code).toBe("player_not_found");
});

it("looks through a thousand interactions for a page of one player's, and continues with the cursor", async () => {
  const [gm, , ada] = await s.game("Zed", "Ada");
  const game = await s.store.game();
  const [first] = (await history(gm, { limit: 1 })).body.interactions;
  const item = await s.store.interactionItem(game, first.interaction_id);
  const many = Array.from({ length: 1_500 }, (_, n) => {
    const interaction_id = firstIdAt(Date.now() + HOUR + n);
    return { ...item, ...keys.interaction(0, interaction_id), interaction_id, target: gm.id };
  });
  await fill(s.place(), many);
  await upon(gm, "corpsify", "Ada");
  let entriesRead = 0;
  const { query } = s.store.db;
  s.store.db.query = async (...given) => {
    const page = await query(...given);
    entriesRead += page.items.length;
    return page;
  };
  const pages: string[][] = [];
  let cursor: string | null = "";
  for (; cursor !== null && pages.length < 5; ) {
    entriesRead = 0;
    const page: Result = await history(ada, { player: "me", ...(cursor === "" ? {} : { cursor }) });
    expect(entriesRead).toBeLessThanOrEqual(1_500);
    pages.push(page.body.interactions.map(({ kind }: { kind: string }) => kind));
    cursor = page.body.next_cursor;
  }
  expect(pages).toEqual([[], ["corpsify"]]);
});

it("ranks kills page by page, and around the caller", async () => {
  const [gm, zed, ...preys] = await s.game("Zed", "Ann", "Bob", "Cid", "Dan", "Eve");
  const [ann, bob, cid, dan, eve] = preys;
  for (const [hunter, prey] of [
    [zed, ann],
    [zed, bob],
    [bob, cid],
    [zed, dan],
  ] as const)
    expect((await s.hunt(hunter, prey)).status).toBe(200);
  const ranked = (page: Result["body"]) =>
    page.players.map(({ rank, alias }: { rank: number; alias: string }) => `${rank} ${alias}`);
  const all = ranked(await board(gm, {}));
  expect(all.slice(0, 2)).toEqual(["1 Zed", "2 Bob"]);
  expect(all.slice(2).map((one: string) => one[0])).toEqual(["3", "3", "3"]);
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Result["body"] = await board(gm, { limit: 2, ...(cursor === "" ? {} : { cursor }) });
    pages.push(...ranked(page));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(all);
  const mine = await board(bob, { around: "me", limit: 3 });
  expect(mine.rank).toBe(2);
  expect(ranked(mine)).toEqual(all.slice(0, 3));
  const last = await board(cid, { around: "me", limit: 2 });
  expect(ranked(last)).toContain("3 Cid");
  expect(await board(eve, { around: "me" })).toMatchObject({ players: [], rank: null, next_cursor: null });
});

it("ranks humans by how long they have survived, which a voided tag does not end", async () => {
  const [gm, zed, ann, bob, cid] = await s.game("Zed", "Ann", "Bob", "Cid");
  const { interaction } = (await s.hunt(zed, ann)).body;
  await s.hunt(zed, bob);
  disturbed.passed = 60_000;
  await upon(gm, "cure", "Bob");
  const body = { interaction_id: interaction.interaction_id, reason: "No." };
  await s.must("POST /admin/void_hunt/{url_id}", { as: gm, body });
  const survivors = async (as: Someone, query: Query = {}) => {
    const { players } = await board(as, { board: "survivors", ...query });
    return players.map(({ rank, alias }: { rank: number; alias: string }) => `${rank} ${alias}`);
  };
  expect(await survivors(zed)).toEqual(["1 Ann", "2 Cid", "3 Bob"]);
  expect(await survivors(bob, { around: "me", limit: 2 })).toEqual(["3 Bob"]);
  // Who was there when the game started has survived for as long as anybody.
  const starts_at = new Date(s.services.clock() - 30_000).toISOString();
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { starts_at } });
  expect((await survivors(cid)).map((one: string) => one[0])).toEqual(["1", "1", "3"]);
  const first = await board(cid, { board: "survivors", limit: 1 });
  const next = await board(cid, { board: "survivors", limit: 5, cursor: first.next_cursor });
  expect([...first.players, ...next.players].map(({ rank }) => rank)).toEqual([1, 1, 3]);
});

it("keeps in the inbox what concerned a player, with the messages, also without push", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
  await send(gm);
  await s.must("POST /edit_player/{url_id}", { as: ada, body: { push_kinds: [] } });
  await s.hunt(zed, ada);
  const { interaction } = (await s.hunt(zed, ben, { share_with: ["Ada"] })).body;
  for (const word of ["pause_game", "resume_game"]) await s.must(`POST /admin/${word}/{url_id}`, { as: gm });
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
  await upon(gm, "cure", "Ada");
  const { notifications, unread } = await inbox(ada);
  const shown = notifications.map(({ title, kind }: Record<string, string>) => [kind, title]);
  expect(shown).toEqual([
    ["cured", "You were cured"],
    ["checkpoint", "There is a checkpoint"],
    ["game", "The game has resumed"],
    ["game", "The game is paused"],
    ["fed", "Zed shared a feeding with you"],
    ["tagged", "You were tagged by Zed"],
    [undefined, NEWS.title],
  ]);
  expect(unread).toBe(7);
  expect((await inbox(ada, { after: interaction.interaction_id })).unread).toBe(4);
  expect((await inbox(ada, { limit: 1, after: interaction.interaction_id })).unread).toBe(4);
  expect((await inbox(ada, { after: notifications[0].notification_id })).unread).toBe(0);
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Result["body"] = await inbox(ada, { limit: 2, ...(cursor === "" ? {} : { cursor }) });
    pages.push(...page.notifications.map(({ title }: { title: string }) => title));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(shown.map(([, title]: string[]) => title));
  // What happened before somebody joined does not concern them.
  expect(await inbox(await s.join("Late"))).toMatchObject({
    notifications: [{ title: NEWS.title }],
    unread: 1,
  });
});

it("shows many shared feedings on a device once, and none to a player who has switched them off", async () => {
  const [, zed, ada, ben, cid, dan] = await s.game("Zed", "Ada", "Ben", "Cid", "Dan");
  await s.hunt(zed, ada);
  const browser = await subscribe(ada, "/ada");
  const announce = async () => {
    push().received().length = 0;
    const shared = (await scan(s)).filter(
      (one) => Array.isArray(one.shared_with) && one.shared_with.length > 0,
    );
    const Records = shared.map((item) => insertRecord(item));
    await asWorker("announce", announceHandler).on(s.services)({ Records }, lambdaContext());
    await s.work();
    return push()
      .received("/ada")
      .map(({ headers, body }) => `${headers.topic} ${JSON.parse(browser.decrypt(body)).notification.tag}`);
  };
  await s.hunt(zed, ben, { share_with: ["Ada"] });
  await s.hunt(zed, cid, { share_with: ["Ada"] });
  const shown = await announce();
  expect(shown).toHaveLength(2);
  expect(new Set(shown).size).toBe(1);
  await s.must("POST /edit_player/{url_id}", { as: ada, body: { push_kinds: ["tagged"] } });
  await s.hunt(zed, dan, { share_with: ["Ada"] });
  expect(await announce()).toEqual([]);
});
