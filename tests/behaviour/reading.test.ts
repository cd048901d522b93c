/** What pages read: references to players, the public page, a live page, the search at a desk, and what is unchanged. */
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { handler as publicHandler } from "../../functions/player/public.ts";
import { NEW_GAME } from "../../lib/domain/game/game.ts";
import { newSpectator } from "../../lib/domain/players/player.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { COUNTER_SLOTS, firstIdAt, keys } from "../../lib/store/keys.ts";
import { FRESH_MS, LEASE_MS, sharedResult } from "../../lib/store/sharedResult.ts";
import { openStore } from "../../lib/store/store.ts";
import { gatewayEvent, lambdaContext } from "../../scripts/local/inProcess.ts";
import { logLines } from "../support/logLines.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { blackPng, noisyPng } from "../support/pictures.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();

const { read, done, edit } = shortRequests(s);
const lines = logLines();

/** The read units of the last request, from its log line. */
const unitsRead = (): number => {
  const requests = lines.filter((line) => line.startsWith("{") && line.includes('"message":"request"'));
  return JSON.parse(requests.at(-1) ?? "").read_units;
};

/** Spreads the counts over all counters, as many changes would. */
const spreadCounts = async (): Promise<void> => {
  const by = { humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (let slot = 0; slot < COUNTER_SLOTS; slot += 1)
    await s.store.commit([{ increase: keys.count(0, slot), by }], () => 10_000);
};

const find = (as: TestPlayer, body: Record<string, string>) =>
  s.call("POST /get_player/{url_id}", { as, body });

it("a reference names a player to others, survives a renaming, and ends with the account", async () => {
  const [, zed, ben] = await s.game("Zed", "Ben");
  await s.hunt(zed, ben);
  await s.must("POST /set_pfp/{url_id}", { as: zed, raw: { body: blackPng(1, 1), type: "image/png" } });
  const { player_ref, picture_url } = await s.see(zed);
  expect(player_ref).toMatch(/^[\w-]{22}$/);
  expect(player_ref).not.toContain(zed.id.slice(0, 8));
  expect((await read(ben, "/notifications/inbox")).notifications[0].actor_picture_url).toBe(picture_url);
  expect((await edit(zed, { alias: "Zoë" })).body.player_ref).toBe(player_ref);
  expect((await find(ben, { player_ref })).body).toEqual((await find(ben, { alias: "Zoë" })).body);
  for (const unknown of [zed.id, `${player_ref}x`, player_ref.toLowerCase(), "Zoë"])
    expect((await find(ben, { player_ref: unknown })).status, unknown).toBe(404);
  expect((await find(ben, { player_ref, alias: "Zoë" })).status).toBe(400);
  await s.must("DELETE /delete_player/{url_id}", { as: zed });
  expect(await find(ben, { player_ref })).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  expect(await s.store.db.get(keys.playerRef(player_ref))).toBeUndefined();
});

it("looking up an unknown reference reads two items more than the caller, however many players there are", async () => {
  const ben = await s.join("Ben");
  await s.crowd(await makeCrowd(s, 400, "human", s.now));
  const unknown = "A".repeat(22);
  expect((await find(ben, { player_ref: unknown })).status).toBe(404);
  // Of these 3 for the caller; the guard is read again, consistently, when it is not found.
  expect(unitsRead()).toBeLessThanOrEqual(4.5);
  // Here the text is also looked up as an alias.
  expect((await ask("GET /interactions/{url_id}", ben, { player: unknown })).status).toBe(404);
  expect(unitsRead()).toBeLessThanOrEqual(5);
});

it("the path of a picture with a wrong hash costs little, however large the picture is", async () => {
  const ada = await s.join("Ada");
  const file = { body: await noisyPng(512), type: "image/png" };
  await s.must("POST /set_pfp/{url_id}", { as: ada, raw: file });
  const { player_ref, picture_url } = await s.see(ada);
  const show = (id: string) => s.call("GET /pictures/{picture_id}", { id });
  expect((await show(picture_url.split("/").at(-1))).bytes.length).toBeGreaterThan(100_000);
  expect(unitsRead()).toBeGreaterThan(12);
  expect((await show(`${player_ref}.${"x".repeat(22)}`)).status).toBe(404);
  expect(unitsRead()).toBeLessThanOrEqual(2);
});

it("the largest page reads no more than its entries and one", async () => {
  const ada = await s.join("Ada");
  await s.crowd(await makeCrowd(s, 1_500, "human", s.now));
  expect((await read(ada, "/users", { limit: 1_000 })).users).toHaveLength(1_000);
  // A unit for 33 entries, and 4 for the caller and the roles.
  expect(unitsRead()).toBeLessThanOrEqual(38);
});

/** Sends a GET request, with the entity tag of an earlier response if there is one. */
const ask = (route: string, as?: TestPlayer, query: Record<string, string> = {}, etag?: string) =>
  s.call(route, { as: as ?? null, query, headers: etag === undefined ? {} : { "if-none-match": etag } });
const publicPage = (etag?: string) => ask("GET /public", undefined, {}, etag);
const live = (as: TestPlayer, query: Record<string, string>, etag?: string) =>
  ask("GET /live/{url_id}", as, query, etag);

it("the public page needs no token, has the board only by a setting, has no notes or player ids, and costs few reads", async () => {
  const [gm, zed, ben] = await s.game("Zed", "Ben");
  const texts = { name: "Spring", description: "A\nweek.", rules: "# Rules", contact: "gm@hvz.example" };
  const schedule = { time_zone: "Europe/Berlin", starts_at: "2020-01-01T00:00:00.000Z" };
  const set = (body: object) => done(gm, "settings", body);
  await set({ ...texts, ...schedule });
  const page = await publicPage();
  expect(page.body).toEqual({
    ...{
      ...texts,
      ...schedule,
      stun: null,
      safe_places: null,
      ends_at: null,
      play_hours: null,
      next_change_at: null,
      result: null,
      result_note: null,
      grace_until: null,
    },
    ...{ phase: "running", situation: "running", in_play: true, paused: false, board: null },
    counts: { total: 3, humans: 1, zombies: 1, corpses: 0, spectators: 1 },
    ...{ registration: "open", registration_closes_at: null, needs_join_code: false, has_waiver: false },
    sends_mail: false,
  });
  const again = await publicPage(page.headers.etag);
  expect(again).toMatchObject({ status: 304, text: "" });
  for (const { headers } of [page, again]) expect(headers["cache-control"]).toBe("public, max-age=30");
  expect(unitsRead()).toBeLessThanOrEqual(1);

  const closing = { registration: "approval", registration_closes_at: rfc3339(s.now + DAY) };
  await set({ public_board: true, ...closing, join_codes: [{ code: "spring" }] });
  await s.hunt(zed, ben, { note: "by the pond" });
  s.now += MINUTE;
  const { body } = await publicPage(page.headers.etag);
  expect(body).toMatchObject({ ...closing, needs_join_code: true, counts: { humans: 0, zombies: 2 } });
  expect(body.board.leaderboard).toMatchObject([
    { rank: 1, alias: "Zed", state: "zombie", kills: 1, player_ref: (await s.see(zed)).player_ref },
    { rank: 2, alias: "Ben", state: "zombie", kills: 0 },
  ]);
  const [hunt] = body.board.interactions;
  expect(hunt).toMatchObject({ kind: "hunt", actor: "Zed", target: "Ben" });
  expect(body.board.history.at(-1)).toMatchObject({ humans: 0, zombies: 2, corpses: 0, hunts: 1 });
  expect(JSON.stringify(body)).not.toMatch(/pond|player_id/);
  await spreadCounts();
  // The hour of the hunt has closed: this request stores its statistics.
  s.now += 2 * HOUR;
  await publicPage();
  expect(unitsRead()).toBeLessThanOrEqual(9);
});

/** The public page as a new process shows it. @returns its body, and the read units of the request */
const pageOfNewProcess = async () => {
  const services = { ...s.services, store: openStore(s.store.db) };
  const event = gatewayEvent({ route: "GET /public", path: "/public", headers: {}, address: "192.0.2.1" });
  const { statusCode, body = "" } = await publicHandler.on(services)(event, lambdaContext());
  expect(statusCode).toBe(200);
  return { body: JSON.parse(body), units: unitsRead() };
};

it("a request does not join the computation of a shared result for an earlier game", async () => {
  const read = sharedResult({ key: { pk: "SHARED", sk: "SHARED" }, parse: String, format: 1 });
  const of = (rev: number) => ({ store: s.store, game: { ...NEW_GAME, rev }, clock: () => s.now });
  const slow = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const first = read(of(1), () => {
    begun.resolve();
    return slow.promise;
  });
  await begun.promise;
  // The first one would show the second one's result if that were stored earlier.
  const results = [first, read(of(2), () => first.then(() => "new"))];
  slow.resolve("old");
  expect(await Promise.all(results)).toEqual(["old", "new"]);
});

describe("what is computed for the public page", () => {
  /** How often the board was computed: each time reads the best players. */
  const computations = () => {
    let count = 0;
    s.beforeCall = (call, keys) => {
      if (call === "query" && keys.some(({ pk }) => pk.startsWith("KILLS#"))) count += 1;
    };
    return () => count;
  };

  const openBoard = async () => {
    const players = await s.game("Zed", "Ben", "Cid");
    const starts_at = rfc3339(s.now - 300 * DAY);
    await done(players[0], "settings", { public_board: true, rules: "# Rules\n".repeat(2_000), starts_at });
    await s.hunt(players[1], players[2]);
    return players;
  };
  const best = ({ body }: { body: Result["body"] }): string[] => aliasesIn(body.board.leaderboard).toSorted();

  it("is computed at most every 15 seconds for all processes together, which then read about one unit a call", async () => {
    const [gm, zed, , cid] = await openBoard();
    for (let n = 0; n < 20; n += 1) await done(gm, "feed_player", { alias: "Zed" });
    await spreadCounts();
    const computed = computations();
    const first = await Promise.all(Array.from({ length: 20 }, pageOfNewProcess));
    expect(computed()).toBe(1);
    expect(first[0]?.body.board).toMatchObject({ leaderboard: [{ kills: 1 }, { kills: 0 }] });
    expect(first[0]?.body.board.history.length).toBeGreaterThan(290);
    for (const { body } of first) expect(body).toEqual(first[0]?.body);
    await s.hunt(zed, cid);
    let units = 0;
    for (let n = 0; n < 50; n += 1) {
      const page = await pageOfNewProcess();
      units += page.units;
      expect(best(page)).toEqual(["Ben", "Zed"]);
    }
    expect(units / 50).toBeLessThanOrEqual(1);
    expect(computed()).toBe(1);
    s.now += FRESH_MS;
    expect(best(await pageOfNewProcess())).toEqual(["Ben", "Cid", "Zed"]);
    expect(computed()).toBe(2);
  });

  it("is shown a few seconds longer while one process computes it anew, and taken over from one that has stopped", async () => {
    const [, zed, , cid] = await openBoard();
    await pageOfNewProcess();
    await s.hunt(zed, cid);
    s.now += FRESH_MS;
    const item = await s.store.db.get(keys.publicPage);
    await s.store.db.put({ ...item, ...keys.publicPage, rev: 9, computing_until: s.now + LEASE_MS });
    expect(best(await pageOfNewProcess())).toEqual(["Ben", "Zed"]);
    s.now += LEASE_MS;
    expect(best(await pageOfNewProcess())).toEqual(["Ben", "Cid", "Zed"]);
  });

  it("is waited for if there is none yet, until one of those who wait takes over from a process that has stopped", async () => {
    await openBoard();
    await s.store.db.put({ ...keys.publicPage, rev: 1, computing_until: s.now + LEASE_MS });
    const computed = computations();
    const waiting = Array.from({ length: 10 }, pageOfNewProcess);
    for (const page of await Promise.all(waiting)) expect(best(page)).toEqual(["Ben", "Zed"]);
    expect(computed()).toBe(1);
  });

  it("is computed by the next request if that fails", async () => {
    await openBoard();
    s.beforeCall = (call) => {
      if (call === "query") throw new DatabaseBusy("throttled");
    };
    await expectRefused(publicPage(), "unavailable");
    const computed = computations();
    expect(best(await pageOfNewProcess())).toEqual(["Ben", "Zed"]);
    expect(computed()).toBe(1);
  });

  it("never shows what a command of a game master has ended or hidden, or the pause as it was", async () => {
    const [gm, , ben] = await openBoard();
    expect((await pageOfNewProcess()).body.paused).toBe(false);
    await done(gm, "pause_game");
    expect((await pageOfNewProcess()).body.paused).toBe(true);
    await done(gm, "resume_game");
    const shown = await pageOfNewProcess();
    expect(JSON.stringify(shown.body.board.interactions)).toContain("Ben");
    await s.must("DELETE /delete_player/{url_id}", { as: ben });
    expect(await s.store.db.get(keys.publicPage)).toBeUndefined();
    expect(JSON.stringify((await pageOfNewProcess()).body)).not.toContain("Ben");
    await done(gm, "settings", { public_board: false, rules: null });
    expect((await pageOfNewProcess()).body).toMatchObject({ board: null, rules: null });
  });

  it("never shows a deleted account again, although a process computes the page all the while", async () => {
    const [, , ben] = await openBoard();
    let puts = 0;
    let second: ReturnType<typeof pageOfNewProcess> | undefined;
    const { promise: firstEnds, resolve: endFirst } = Promise.withResolvers<void>();
    const deleteMeanwhile = async (): Promise<void> => {
      s.beforeCall = undefined;
      await s.must("DELETE /delete_player/{url_id}", { as: ben });
      const { promise: claimed, resolve } = Promise.withResolvers<void>();
      s.beforeCall = async (call, [key]) => {
        if (call !== "query" || key?.pk === keys.publicPage.pk) return;
        resolve();
        await firstEnds;
      };
      second = pageOfNewProcess();
      await claimed;
    };
    // The first process has claimed and computed the page. It writes the result when another process has claimed the next.
    s.beforeCall = async (call, [key]) => {
      if (call === "put" && key?.pk === keys.publicPage.pk) puts += 1;
      if (puts === 2) await deleteMeanwhile();
    };
    expect(best(await pageOfNewProcess())).toContain("Ben");
    endFirst();
    expect(best((await second) ?? { body: null })).not.toContain("Ben");
    s.beforeCall = undefined;
    expect(JSON.stringify((await pageOfNewProcess()).body)).not.toContain("Ben");
  });

  it("is computed anew if it is malformed, of another version, of an earlier game, or seems to be from the future", async () => {
    await openBoard();
    const page = await pageOfNewProcess();
    const item = (await s.store.db.get(keys.publicPage)) ?? {};
    const computed = computations();
    const bad: object[] = [
      { rev: "one", computed_at: 0 },
      { data: Buffer.from("rubbish") },
      { data: gzipSync(JSON.stringify({ texts: {}, counts: [], board: "all" })) },
      ...[{ format: 0 }, { game_rev: 0 }, { computed_at: s.now + MINUTE }, { computing_until: s.now + DAY }],
    ];
    for (const [n, wrong] of bad.entries()) {
      const old = n < bad.length - 1 ? {} : { computed_at: 0 };
      await s.store.db.put({ ...item, ...old, ...wrong, ...keys.publicPage });
      expect((await pageOfNewProcess()).body, JSON.stringify(wrong)).toEqual(page.body);
      expect(computed(), JSON.stringify(wrong)).toBe(n + 1);
      await pageOfNewProcess();
      expect(computed()).toBe(n + 1);
    }
  });
});

it("GET /live returns all that an open page shows in one call, and little is read while nothing happens", async () => {
  const [gm, zed, ben, cid] = await s.game("Zed", "Ben", "Cid");
  const first = (await live(ben, {})).body;
  const { now: _, ...game } = await read(ben, "/game");
  const { interactions } = await read(ben, "/interactions");
  const player = await s.see(ben);
  expect(first).toMatchObject({ player, game, interactions, unread: 0, newest_unread: null });
  expect(first.next_after).toBe(interactions[0].interaction_id);

  // What was written with an earlier id may become visible later, so the last seconds are read again.
  s.now += MINUTE;
  await spreadCounts();
  const after = first.next_after;
  const quiet = await live(ben, { after });
  expect(quiet.body).toMatchObject({ interactions: [], truncated: false, next_after: after });
  s.now += SECOND;
  expect(await live(ben, { after }, quiet.headers.etag)).toMatchObject({ status: 304, text: "" });
  expect(unitsRead()).toBeLessThanOrEqual(3);

  await s.hunt(zed, cid);
  const news = { title: "Run", content: "They come.", player_groups: "All" };
  const send = (body: object) => s.must("POST /notifications/send/{url_id}", { as: gm, body });
  await send({ ...news, audience: "zombies" });
  const { notification_id } = (await send(news)).body.notification;
  const { body: busy } = await live(ben, { after }, quiet.headers.etag);
  expect(busy).toMatchObject({
    ...{ interactions: [{ kind: "hunt", actor: "Zed", target: "Cid" }], rev: first.rev },
    ...{ game: { counts: { humans: 1, zombies: 2 } }, unread: 1, newest_unread: { notification_id } },
  });
  const since = { after: busy.next_after, inbox_after: notification_id };
  expect((await live(ben, since)).body).toMatchObject({ interactions: [], unread: 0, newest_unread: null });
  await done(gm, "pause_game");
  expect((await live(ben, since)).body).toMatchObject({ rev: first.rev + 1, game: { phase: "paused" } });
});

it("nobody's counts depend on the `after` that another player has sent", async () => {
  const [, zed, ben, ...others] = await s.game("Zed", "Ben", "Cid", "Dee", "Eve", "Fay");
  const known = (await live(ben, {})).body.next_after;
  const invented = ["ffffffff-ffff-7fff-bfff-ffffffffffff", firstIdAt(s.now + 5 * SECOND)];
  for (const [n, after] of invented.entries()) {
    await live(zed, { after, inbox_after: after });
    await s.hunt(zed, others[n] ?? ben);
    const { body } = await live(ben, { after: known });
    expect(body.game.counts.zombies, after).toBe(n + 2);
  }
  // Whoever sends an id of the future gets what there is, not nothing until then.
  const { body } = await live(zed, { after: invented[0] ?? "" });
  expect(body.interactions).not.toEqual([]);
  expect(body.next_after).toBe((await live(ben, {})).body.next_after);
});

it("GET /live returns the interactions of the last seconds again, among which late ones with earlier ids may appear", async () => {
  const [gm, zed] = await s.game("Zed");
  for (let n = 0; n < 60; n += 1) await done(gm, "feed_player", { alias: "Zed" });
  const idsIn = ({ body }: Result): string[] =>
    body.interactions.map((one: Result["body"]) => one.interaction_id);
  const page = await live(zed, {});
  expect(page.body.truncated).toBe(true);
  const [newest = "", ...earlier] = idsIn(page);
  expect(earlier).toHaveLength(49);
  expect(idsIn(await live(zed, { after: newest }))).toEqual(expect.arrayContaining(earlier));
  s.now += MINUTE;
  expect(idsIn(await live(zed, { after: newest }))).toEqual([]);
});

it("a desk finds players by any word of their names, by code and by reference, without what moderators may not see, with few reads", async () => {
  const gm = await s.admin();
  const ann = await s.join("Ann Lee");
  const names = { first_name: "Zoë", last_name: "O'Neil-Smith", email: "zoe.s@example.org" };
  await edit(ann, names);
  const mod = await s.moderator("Mo");
  const { player_ref, tag_code } = await s.see(ann);
  const search = (as: TestPlayer, query: Record<string, string>) => read(as, "/admin/find", query);
  const found = async (as: TestPlayer, q: string): Promise<string[]> =>
    aliasesIn((await search(as, { q })).players);

  const crowd = Array.from({ length: 500 }, (_, n) =>
    newSpectator(randomUUID(), 0, { alias: `Crowd ${n}`, first_name: "Zoë" }, rfc3339(s.now)),
  );
  await s.crowd(crowd);
  const ids = [player_ref, tag_code, tag_code.toLowerCase()];
  for (const q of ["ann", "Ann Lee", "zoë", "lee", "zoe", "Zo le", "Änn ´", ...ids])
    expect([q, await found(gm, q), await found(mod, q)]).toEqual([q, ["Ann Lee"], ["Ann Lee"]]);
  for (const q of ["smith", "o'nei", "zoe.s@example", "ann smith"])
    expect([q, await found(gm, q), await found(mod, q)]).toEqual([q, ["Ann Lee"], []]);
  expect([await found(gm, "nn"), (await search(gm, {})).players]).toEqual([[], []]);
  const ten = { more: true, players: expect.objectContaining({ length: 10 }) };
  expect(await search(gm, { q: "crowd" })).toMatchObject(ten);
  expect(unitsRead()).toBeLessThanOrEqual(10);
  const seen = { first_name: "Zoë", last_name: null, email: null, tag_code: null, state: "human" };
  const one = { more: false, players: [{ player_id: ann.id, ...seen }] };
  expect(await search(mod, { q: "ann" })).toMatchObject(one);
  expect(unitsRead()).toBeLessThanOrEqual(5);

  await edit(ann, { last_name: null, first_name: "Ada" });
  expect([await found(gm, "smith"), await found(gm, "ada")]).toEqual([[], ["Ann Lee"]]);
  await done(gm, "new_tag_code", { alias: "Ann Lee" });
  expect(await found(gm, tag_code)).toEqual([]);
  await s.must("DELETE /delete_player/{url_id}", { as: ann });
  for (const q of ["ada", tag_code, player_ref]) expect(await found(gm, q)).toEqual([]);
  expect((await scan(s)).filter(({ pk, player_id }) => pk === "WORDS" && player_id === ann.id)).toEqual([]);
});

describe("the ETag of what depends on the clock", () => {
  const PLAYER = "GET /player/{url_id}";
  const GAME = "GET /game/{url_id}";
  const STARVATION = "GET /zombie/starvation/{url_id}";
  const FEEDING = "GET /zombie/next_feeding/{url_id}";
  const INTERACTIONS = "GET /interactions/{url_id}";
  const POLLED = [PLAYER, GAME, STARVATION, FEEDING, INTERACTIONS];

  /** Polls endpoints as a page does, and expects which of their responses have changed. */
  const page = (as: TestPlayer) => {
    const etags = new Map<string, string>();
    return async (changed: readonly string[], say: string, of: readonly string[] = POLLED) => {
      for (const route of of) {
        const query: RequestOptions["query"] = route === INTERACTIONS ? { limit: 1 } : {};
        const headers = { "if-none-match": etags.get(route) ?? '"none"' };
        const result = await s.call(route, { as, query, headers });
        etags.set(route, result.headers.etag ?? "");
        expect(result.status, `${route} ${say}`).toBe(changed.includes(route) ? 200 : 304);
      }
    };
  };

  const AFTER_FEEDING = [PLAYER, STARVATION, FEEDING, INTERACTIONS];

  it("changes with every state, by a command or by the clock alone", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    const expectChanged = page(zed);
    await expectChanged(POLLED, "at first");
    s.now += 5 * HOUR;
    await expectChanged([], "while nothing happens");
    // The response to a command has no ETag.
    expect((await s.hunt(zed, ann)).headers.etag).toBeUndefined();
    await expectChanged(POLLED, "after a hunt");
    s.now += 6 * HOUR;
    await done(gm, "feed_player", { alias: "Zed" });
    await expectChanged(AFTER_FEEDING, "after a feeding");
    await done(gm, "zombies_add_day");
    await expectChanged(AFTER_FEEDING, "after a day was added");
    s.now += 44 * HOUR;
    await expectChanged([STARVATION], "when Ann is hungry");
    s.now += 23 * HOUR;
    await expectChanged([GAME, STARVATION], "when Ann has starved");
    s.now += 6 * HOUR;
    const ofCorpses = POLLED.filter((route) => route !== FEEDING);
    await expectChanged([PLAYER, GAME, STARVATION], "when the caller has starved", ofCorpses);
  });

  it("is the same during a pause, when the deadlines move, and another at its beginning and its end", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await s.outbreak(gm, ann);
    const expectChanged = page(zed);
    await expectChanged(POLLED, "at first");
    await done(gm, "pause_game");
    await expectChanged(POLLED, "when the game is paused");
    s.now += 3 * HOUR;
    await expectChanged([], "three hours later");
    // A day added is a change also while the clock stands.
    await done(gm, "zombies_add_day");
    await expectChanged(AFTER_FEEDING, "after a day was added");
    s.now += HOUR;
    await expectChanged([], "an hour later");
    await done(gm, "resume_game");
    await expectChanged(POLLED, "when the game is resumed");
  });
});

it("304 has the headers by which caches choose a response: Vary, as 200 would have, besides ETag and Cache-Control", async () => {
  for (const [route, vary] of [
    ["GET /openapi.json", "accept-encoding"],
    ["GET /health", undefined],
  ] as const) {
    const full = await ask(route);
    const unchanged = await ask(route, undefined, {}, full.headers.etag);
    expect([full.status, unchanged.status, unchanged.text], route).toEqual([200, 304, ""]);
    for (const { headers } of [full, unchanged]) expect(headers.vary, route).toBe(vary);
  }
});
