/** Reading the history of one player, the leaderboards page by page, the inbox, and lists with filters. */

import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { firstIdAt, keys } from "../../lib/store/keys.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";
import { fill } from "../support/table.ts";

const { s, send } = pushEnvironment();
const { read, admin, done, edit } = shortRequests(s);

type Query = Record<string, string | number>;
const history = (as: TestPlayer, query: Query): Promise<Result> =>
  s.call("GET /interactions/{url_id}", { as, query });
const board = (as: TestPlayer, query: Query) => read(as, "/interactions/leaderboard", query);
const inbox = (as: TestPlayer, query: Query = {}) => read(as, "/notifications/inbox", query);
const kindsIn = (interactions: { kind: string }[]): string[] => interactions.map(({ kind }) => kind);
const ranked = (players: { rank: number; alias: string }[]): string[] =>
  players.map(({ rank, alias }) => `${rank} ${alias}`);

/** All pages of a list, one after the other. */
const pagesOf = async (page: (query: Query) => Promise<Result["body"]>): Promise<Result["body"][]> => {
  const pages = [await page({})];
  for (; pages.at(-1).next_cursor !== null; ) pages.push(await page({ cursor: pages.at(-1).next_cursor }));
  return pages;
};

let players: Record<"gm" | "zed" | "ada" | "ben" | "cid" | "dan", TestPlayer>;
const begin = playedOnce(s, () => s.game("Zed", "Ada", "Ben", "Cid", "Dan"));
beforeEach(async () => {
  const [gm, zed, ada, ben, cid, dan] = await begin();
  players = { gm, zed, ada, ben, cid, dan };
});
const takeBack = ({ body }: Result) =>
  done(players.gm, "void_hunt", { interaction_id: body.interaction.interaction_id, reason: "No." });

it("filters by a player who acted, was the target or was fed, and by what came after an interaction", async () => {
  const { gm, zed, ada, ben, cid } = players;
  await s.hunt(zed, ada);
  const hunt = await s.hunt(zed, ben, { share_with: ["Ada"] });
  await s.hunt(ben, cid);
  await takeBack(hunt);
  const after = hunt.body.interaction.interaction_id;
  for (const [as, query, kinds] of [
    [cid, { player: "Ada" }, "hunt hunt"],
    [cid, { player: (await s.see(ada)).player_ref }, "hunt hunt"],
    [ben, { player: "me" }, "void hunt hunt"],
    [ben, { player: "zed", kind: "hunt" }, "hunt hunt"],
    // The void concerns Zed, whose hunt it was.
    [ben, { player: "zed", after }, "void"],
    [ben, { after }, "void hunt"],
    [gm, { target: "Ben", actor: "Zed" }, "hunt"],
    [gm, { target: "Ben" }, "void hunt"],
  ] as const)
    expect([query, kindsIn((await history(as, query)).body.interactions).join(" ")]).toEqual([query, kinds]);
  await expectRefused(history(zed, { target: "Ben" }), "not_administrator");
  await expectRefused(history(zed, { player: "Nobody" }), "player_not_found");
});

it("reads at most a thousand interactions for a page of one player's, and continues from the cursor", async () => {
  const { gm, dan } = players;
  const [first] = (await history(gm, { limit: 1 })).body.interactions;
  const item = await s.store.interactionItem(await s.store.game(), first.interaction_id);
  const many = Array.from({ length: 1_500 }, (_, n) => {
    const interaction_id = firstIdAt(Date.now() + HOUR + n);
    return { ...item, ...keys.interaction(0, interaction_id), interaction_id, target: gm.id };
  });
  await fill(s.place(), many);
  await done(gm, "corpsify", { alias: "Dan" });
  const pages = await pagesOf(async (more) => (await history(dan, { player: "me", ...more })).body);
  expect(pages.map(({ interactions }) => kindsIn(interactions))).toEqual([[], ["corpsify"]]);
});

describe("the leaderboard", () => {
  it("ranks kills page by page, and around the caller", async () => {
    const { gm, zed, ada, ben, cid, dan } = players;
    for (const prey of [ada, ben]) await s.hunt(zed, prey);
    await s.hunt(ben, cid);
    const all = ranked((await board(gm, {})).players);
    const pages = await pagesOf((more) => board(gm, { limit: 2, ...more }));
    expect(pages.flatMap((page) => ranked(page.players))).toEqual(all);
    const mine = await board(ben, { around: "me", limit: 3 });
    expect([mine.rank, ranked(mine.players)]).toEqual([2, all.slice(0, 3)]);
    expect(await board(dan, { around: "me" })).toEqual({ players: [], rank: null, next_cursor: null });
  });

  it("has those who are hidden where others see them, also on a last page without anybody else", async () => {
    const { gm, zed, ada, ben, cid } = players;
    await s.hunt(zed, ben);
    await done(gm, "cure", { alias: "Ben" });
    await edit(ben, { wants_original: true });
    await done(gm, "settings", { hide_originals: true });
    await done(gm, "draw_originals", { n: 1 });
    for (const prey of [ada, cid]) {
      await s.hunt(ben, prey);
      await done(gm, "remove_player", { alias: prey.alias });
    }
    const pages = await pagesOf((more) => board(zed, { limit: 1, ...more }));
    expect(pages.map((page) => ranked(page.players))).toEqual([["1 Zed"], ["2 Ben"]]);
  });

  it("ranks humans by survival time, which a voided tag does not interrupt", async () => {
    const { gm, zed, ada, ben, cid } = players;
    await done(gm, "corpsify", { alias: "Dan" });
    const hunt = await s.hunt(zed, ada);
    await s.hunt(zed, ben);
    s.now += 60_000;
    await done(gm, "cure", { alias: "Ben" });
    await takeBack(hunt);
    const survivors = async (as: TestPlayer, query: Query = {}) =>
      ranked((await board(as, { board: "survivors", ...query })).players);
    expect(await survivors(zed)).toEqual(["1 Ada", "2 Cid", "3 Ben"]);
    expect(await survivors(ben, { around: "me", limit: 2 })).toEqual(["3 Ben"]);
    // Survival time counts from the start of the game at the earliest, so both share the first rank.
    await done(gm, "settings", { starts_at: rfc3339(s.now - 30_000) });
    const pages = await pagesOf((more) => board(cid, { board: "survivors", limit: 1, ...more }));
    expect(pages.flatMap(({ players }) => players).map(({ rank }) => rank)).toEqual([1, 1, 3]);
  });
});

it("lists a player's events and the messages of game masters in the inbox, newest first, also without push", async () => {
  const { gm, zed, ada, ben } = players;
  const { notification_id } = (await send(gm)).body.notification;
  await edit(ada, { push_kinds: [] });
  await s.hunt(zed, ada);
  const { interaction_id } = (await s.hunt(zed, ben, { share_with: ["Ada"] })).body.interaction;
  for (const word of ["pause_game", "resume_game"]) await done(gm, word);
  await done(gm, "set_checkpoint", { name: "The bridge" });
  await done(gm, "cure", { alias: "Ada" });
  const { notifications, unread } = await inbox(ada);
  const shown = notifications.map(({ title, kind }: Record<string, string>) => `${kind}: ${title}`);
  expect(shown).toEqual([
    "cured: You were cured",
    "checkpoint: There is a checkpoint",
    "game: The game has resumed",
    "game: The game is paused",
    "fed: Zed shared a feeding with you",
    "tagged: You were tagged by Zed",
    `undefined: ${NEWS.title}`,
  ]);
  const { title, content } = NEWS;
  const sent = { notification_id, title, content, audience: "all", sent_at: expect.stringMatching(/Z$/) };
  expect(notifications.at(-1)).toEqual(sent);
  expect(unread).toBe(7);
  for (const query of [{}, { limit: 1 }])
    expect((await inbox(ada, { after: interaction_id, ...query })).unread).toBe(4);
  expect((await inbox(ada, { after: notifications[0].notification_id })).unread).toBe(0);
  const pages = await pagesOf((more) => inbox(ada, { limit: 2, ...more }));
  expect(pages.flatMap((page) => page.notifications)).toEqual(notifications);
  // A player who joined later sees the earlier message, but no earlier event.
  const late = await s.join("Late");
  expect(await inbox(late)).toMatchObject({ notifications: [{ title }], unread: 1 });
  const ask = (query: Query = {}) => s.call("GET /notifications/inbox/{url_id}", { as: late, query });
  expect((await ask({ cursor: "x" })).status).toBe(400);
  s.beforeCall = (call, [key]) => {
    if (call === "query" && key?.pk.startsWith("NOTIFICATIONS")) throw new DatabaseBusy();
  };
  expect(await ask()).toMatchObject({ status: 500, text: "The notifications could not be read." });
});

it("commands are found behind any number of reads, in pages that each read a thousand entries at most", async () => {
  const { gm } = players;
  await done(gm, "feed_player", { alias: "Zed" });
  await admin(gm, "feed_player", { alias: "Nobody" });
  await admin(gm, "feed_group", { state: "zombie", dry_run: true });
  const game = await s.store.game();
  const looks = Array.from({ length: 1_100 }, () => ({
    ...{ log_id: newEventId(), at: rfc3339(s.now), action: "get_players", actor: gm.id, target: null },
    ...{ details: {}, request_id: randomUUID(), outcome: "done" },
  }));
  for (let at = 0; at < looks.length; at += 100)
    await Promise.all(looks.slice(at, at + 100).map((entry) => s.store.log(game, entry)));
  const logs = async (query: Query) => {
    const pages = await pagesOf((more) => read(gm, "/admin/get_logs", { ...query, ...more }));
    return pages.map((page) => page.logs);
  };
  const pages = await logs({ changes: "true", outcome: "done", limit: 2 });
  expect(pages[0]).toEqual([]);
  const found = pages.flat().map(({ action }: { action: string }) => action);
  expect(found[0]).toBe("feed_player");
  expect(found).not.toContain("feed_group");
  const [first, ...others] = await logs({ outcome: "refused", action: "feed_player", limit: 1 });
  expect(first).toEqual([]);
  expect(others.flat()).toMatchObject([{ action: "feed_player", outcome: "player_not_found" }]);
});

it("an open alert is found behind resolved ones", async () => {
  const { gm } = players;
  const alert = (resolved_at: string | null) => {
    const alert_id = newEventId();
    const of = { alert_id, kind: "newcomers", hunter: gm.id, hunts: [], at: rfc3339(s.now), resolved_at };
    return { ...keys.alert(alert_id), ...of, rev: 1 };
  };
  await s.store.db.put(alert(null));
  s.now += 1_000;
  for (let n = 0; n < 25; n += 1) await s.store.db.put(alert(rfc3339(s.now)));
  const { alerts } = await read(gm, "/admin/alerts", { open: "true", limit: 20 });
  expect(alerts).toMatchObject([{ resolved_at: null }]);
});
