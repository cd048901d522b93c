/**
 * The statistics of the game: they agree with the interactions, of which those of a closed hour are read once. The counts of
 * zombies by hunger, which are cached when there are more than a thousand zombies. And the awards of a game that has ended.
 */

import { readFile } from "node:fs/promises";
import { v7 } from "uuid";
import { describe, expect, it, vi } from "vitest";
import { WEEKDAYS } from "../../lib/domain/game/schedule.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { gameItem } from "../../lib/store/items.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import { archives } from "../support/archives.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const BEGAN = Date.parse("2026-11-16T09:20:00Z");
let made = 0;
/** Ids have the time of the game too. */
const newId = () => {
  made += 1;
  return v7({ msecs: s.now, seq: made });
};
const s = testEnvironment({ at: BEGAN, services: () => ({ newId }) });
const { read, done } = shortRequests(s);

const statistics = (as: TestPlayer) => read(as, "/interactions/stats");

it("the statistics count players by hour and state, also after late reports and voided tags", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben", "Cid");
  const at = (time: string): void => {
    s.now = Date.parse(`2026-11-16T${time}:00Z`);
  };
  const point = (hour: string, humans: number, zombies: number, corpses: number, hunts: number) => ({
    ...{ from: `2026-11-16T${hour}:00:00.000Z`, humans, zombies, corpses, hunts },
  });
  at("09:50");
  const { interaction_id } = (await s.hunt(zed, ada)).body.interaction;
  at("10:20");
  expect((await statistics(gm)).points).toEqual([point("09", 2, 2, 0, 1), point("10", 2, 2, 0, 0)]);
  const body = { tagged_at: "2026-11-16T09:55:00Z" };
  const reported = await s.must("POST /player/report_tagged/{url_id}", { as: ben, body });
  at("11:20");
  const infections = [null, 0, 1].map((generation) => ({ generation, count: 1 }));
  const { points, ...rest } = await statistics(gm);
  expect(rest).toMatchObject({ step: "hour", infections });
  expect(points).toEqual([point("09", 1, 3, 0, 2), point("10", 1, 3, 0, 0), point("11", 1, 3, 0, 0)]);
  // A tag of a closed hour gets its hunter.
  expect((await s.hunt(ada, ben)).status).toBe(200);
  const named = [0, 1, 2].map((generation) => ({ generation, count: 1 }));
  expect((await statistics(gm)).infections).toEqual(named);
  await done(gm, "void_hunt", { interaction_id, reason: "No." });
  await done(gm, "corpsify", { alias: "Cid" });
  // Ben is human again, and dies as one: voiding his tag afterwards changes nothing.
  await done(gm, "cure", { alias: "Ben" });
  const tag = { interaction_id: reported.body.interaction.interaction_id, reason: "No." };
  await done(gm, "corpsify", { alias: "Ben" });
  await done(gm, "void_hunt", tag);
  at("12:00");
  await done(gm, "revive_z", { alias: "Cid" });
  await done(gm, "corpsify", { alias: "Ada" });
  await s.must("DELETE /delete_player/{url_id}", { as: zed });
  const after = await statistics(gm);
  expect(after.infections).toEqual([{ generation: 0, count: 2 }]);
  expect(after.points).toEqual([
    ...[point("09", 3, 0, 0, 0), point("10", 3, 0, 0, 0)],
    ...[point("11", 1, 0, 2, 0), point("12", 0, 1, 2, 0)],
  ]);
});

it("the statistics read each interaction of a closed hour once", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await s.hunt(zed, ada);
  const query = vi.spyOn(s.store.db, "query");
  const interactionsRead = async (): Promise<number> => {
    query.mockClear();
    await statistics(gm);
    const pages = await Promise.all(query.mock.results.map(({ value }) => value));
    return pages.flatMap(({ items }) => items).filter(({ pk }) => pk.startsWith("INTERACTIONS")).length;
  };
  for (const hours of [0, 0, 1]) {
    s.now += hours * HOUR;
    expect(await interactionsRead()).toBe(3);
  }
  expect(await interactionsRead()).toBe(0);
});

it("the statistics are by the day in a game that is longer than two weeks, in the game's time zone", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await done(gm, "settings", { time_zone: "Asia/Kolkata" });
  await s.hunt(zed, ada);
  s.now += 15 * DAY;
  await s.sweep();
  const { step, points } = await statistics(await s.login(gm.alias, gm.password));
  expect([step, points.length]).toEqual(["day", 16]);
  const midnight = (day: number) => rfc3339(BEGAN - 14 * HOUR - 50 * MINUTE + day * DAY);
  const none = { humans: 0, zombies: 0, corpses: 0, hunts: 0 };
  expect(points[0]).toEqual({ ...none, from: midnight(0), zombies: 2, hunts: 1 });
  expect(points.at(-1)).toEqual({ ...none, from: midnight(15), corpses: 2 });
});

describe("a schedule with times that a request may no longer have", () => {
  const EARLY = Date.parse("0206-11-16T09:20:00Z");
  const YEAR_0 = Date.parse("0000-01-01T00:00:00Z");
  const LATE = Date.parse("9999-12-31T23:59:59Z");
  const hours = Object.fromEntries(WEEKDAYS.map((day) => [day, [["08:00", "24:00"]]]));
  it.each([
    ["began in the year 206", { starts_at: EARLY }],
    ["was over in the year 0", { time_zone: "Africa/Monrovia", starts_at: YEAR_0, ends_at: YEAR_0 + DAY }],
    ["has play hours in the year 9999", { starts_at: LATE - DAY, play_hours: hours }],
  ])("is read, and can be corrected, of a game that %s", async (_, wild) => {
    const [gm, zed] = await s.game("Zed", "Ada");
    const none = { time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null };
    const schedule = { since: s.now, ...none, ...wild };
    await s.store.db.put(gameItem({ ...(await s.store.game()), rev: 1, schedule }));
    s.now += 2 * SECOND;
    for (const { route, access } of ENDPOINTS) {
      // Also those that need a parameter or an event: none may end in a 5xx.
      if (!route.startsWith("GET ")) continue;
      const result = await s.call(route, { as: access === "player" ? zed : gm });
      expect(result.status, `${route}: ${result.text}`).toBeLessThan(500);
      if (!route.startsWith("GET /docs") && route !== "GET /openapi.json")
        expect(result.text.length, route).toBeLessThan(60_000);
    }
    expect((await statistics(gm)).points.length).toBeLessThanOrEqual(401);
    await done(gm, "settings", { name: "Mended" });
    const dates = { starts_at: rfc3339(s.now - DAY), ends_at: rfc3339(s.now + DAY) };
    expect(await done(gm, "settings", { ...dates, play_hours: null })).toMatchObject(dates);
    expect((await s.hunt(zed, await s.join("Cid"))).status).toBe(200);
  });
});

it("statistics count the tag of a made zombie, also of an hour that is stored, and despite a read of before it", async () => {
  const [gm] = await s.game("Zed", "Ann");
  s.now += HOUR;
  await done(gm, "corpsify", { alias: "Ann" });
  const { interaction_id } = (await done(gm, "revive_z", { alias: "Ann" })).interaction;
  s.now += 3 * HOUR;
  const infections = async () => (await statistics(gm)).infections;
  const originals = [{ generation: 0, count: 2 }];
  expect(await infections()).toEqual(originals);
  const { db } = s.store;
  const before = await s.store.interactionItem(await s.store.game(), interaction_id);
  await done(gm, "name_hunter", { interaction_id, alias: "Zed" });
  // A read that is not consistent may be of a moment ago.
  const getMany = db.getMany.bind(db);
  const lagging = vi.spyOn(db, "getMany").mockImplementation(async (...args) => {
    const items = await getMany(...args);
    return items.map((item) => (item.sk === before?.sk ? before : item));
  });
  expect(await infections()).toEqual(originals);
  expect(lagging).toHaveBeenCalled();
  lagging.mockRestore();
  expect(await infections()).toEqual([0, 1].map((generation) => ({ generation, count: 1 })));
});

/** Puts zombies with 18 hours left into the table. */
const hungry = async (count: number): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", s.now - 30 * HOUR));

const counts = async (as: TestPlayer) => {
  const { body } = await s.call("GET /zombie/starvation/{url_id}", { as, query: { limit: 1 } });
  return body.counts;
};

const feed = (as: TestPlayer, n: number) => s.must("POST /admin/feed/{url_id}", { as, body: { n } });

it("the counts by hunger are exact up to a thousand zombies; above, they are at most a minute old, and exact after a change of the game's clock", async () => {
  const gm = await s.admin();
  await hungry(1_000);
  expect(await counts(gm)).toEqual({ fed: 0, hungry: 1_000, starving: 0 });
  await feed(gm, 1);
  expect(await counts(gm)).toEqual({ fed: 1, hungry: 999, starving: 0 });
  await hungry(2);
  expect(await counts(gm)).toEqual({ fed: 1, hungry: 1_001, starving: 0 });
  await feed(gm, 2);
  await hungry(3);
  s.now += MINUTE - 5 * SECOND;
  // Even old counts add up to the present number of zombies.
  expect(await counts(gm)).toEqual({ fed: 4, hungry: 1_001, starving: 0 });
  s.now += 10 * SECOND;
  expect(await counts(gm)).toEqual({ fed: 3, hungry: 1_002, starving: 0 });
  await s.pass(13 * HOUR);
  expect(await counts(gm)).toEqual({ fed: 3, hungry: 0, starving: 1_002 });
  await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
  expect(await counts(gm)).toEqual({ fed: 1_005, hungry: 0, starving: 0 });
});

const { newFile, openTable } = archives(s);

const awards = (as: TestPlayer) => read(as, "/interactions/awards");
const shared = (value: number, ...winners: string[]) => ({ value, at: null, winners, count: winners.length });
const tag = async (hunter: TestPlayer, prey: TestPlayer, more = {}): Promise<string> => {
  s.now += MINUTE;
  const { status, text, body } = await s.hunt(hunter, prey, more);
  expect(status, text).toBe(200);
  return body.interaction.interaction_id;
};
const end = async (gm: TestPlayer): Promise<void> => {
  s.now += HOUR;
  await done(gm, "settings", { ends_at: rfc3339(s.now) });
  s.now += MINUTE;
};

describe("the awards", () => {
  it("are for players once the game has ended, name everybody who shares one, and no voided hunt counts", async () => {
    const [gm, zed, ada, ben, cid, dan, eve] = await s.game("Zed", "Ada", "Ben", "Cid", "Dan", "Eve");
    const early = await s.call("GET /interactions/awards/{url_id}", { as: zed });
    expect([early.status, early.body.code]).toEqual([409, "too_early"]);
    expect(await awards(gm)).toMatchObject({ most_kills: null, first_tag: null, longest_chain: null });
    // Had it counted, Zed would have the first tag, and Eve would lie below them.
    const mistake = await tag(zed, eve, { hunted_at: rfc3339(s.now) });
    await done(gm, "void_hunt", { interaction_id: mistake, reason: "The wrong code." });
    const first = await tag(zed, ada);
    const firstAt = rfc3339(s.now);
    await tag(ada, ben, { share_with: ["Zed"] });
    await tag(ben, cid, { share_with: ["Zed", "Ada"] });
    const last = await tag(ada, dan);
    await end(gm);
    const body = await awards(dan);
    expect(body).toEqual({
      given: [],
      most_kills: shared(2, "Ada"),
      longest_survivor: { ...shared(1, "Eve"), value: expect.any(Number) },
      longest_chain: { ...shared(3, "Zed"), chain: ["Zed", "Ada", "Ben", "Cid"] },
      most_meals_shared: shared(2, "Ben"),
      most_points: null,
      first_tag: { value: null, at: expect.any(String), winners: ["Zed"], count: 1 },
      last_human: { value: null, at: null, winners: ["Eve"], count: 1 },
    });
    expect(Math.abs(Date.parse(body.first_tag.at) - Date.parse(firstAt))).toBeLessThan(MINUTE);
    // A minute later, the game masters have taken one of Ada's hunts back, and Ada has left.
    await done(gm, "void_hunt", { interaction_id: last, reason: "Too late." });
    s.now += MINUTE;
    expect((await awards(dan)).most_kills).toEqual(shared(1, "Ada", "Ben", "Zed"));
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    s.now += MINUTE;
    const left = await awards(dan);
    expect(left.most_kills).toEqual(shared(1, "Ben", "Zed"));
    expect(left.longest_chain.chain).toEqual(["Zed", null, "Ben", "Cid"]);
    await done(gm, "void_hunt", { interaction_id: first, reason: "They were not there." });
    s.now += MINUTE;
    expect((await awards(dan)).longest_chain).toMatchObject({ value: 2, chain: [null, "Ben", "Cid"] });
  });

  it("measure lives in play time, name the last human, and stay in the archive of the season", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben"]) await s.join(alias);
    const zed = await s.join("Zed");
    const at = (milliseconds: number) => rfc3339(s.now + milliseconds);
    await done(gm, "settings", { starts_at: at(10 * HOUR) });
    s.now += 10 * HOUR;
    const began = s.now;
    await s.outbreak(gm, zed);
    const killed = async (alias: string, hours: number) => {
      s.now = began + hours * HOUR;
      await done(gm, "corpsify", { alias });
    };
    await killed("Ada", 2);
    await done(gm, "revive_h", { alias: "Ada" });
    await killed("Ben", 4);
    s.now += HOUR;
    await done(gm, "pause_game", undefined);
    s.now += HOUR / 2;
    await done(gm, "resume_game", undefined);
    await killed("Ada", 7);
    const lastAt = rfc3339(s.now);
    await end(gm);
    const all = await awards(gm);
    const { longest_survivor, last_human } = all;
    // Ada's second life without the pause; the first was two hours, and Ben's four.
    expect(longest_survivor.winners).toEqual(["Ada"]);
    expect(Math.round(longest_survivor.value / 60)).toBe(270);
    expect(last_human).toMatchObject({ winners: ["Ada"], count: 1 });
    expect(Math.abs(Date.parse(last_human.at) - Date.parse(lastAt))).toBeLessThan(MINUTE);
    const file = newFile();
    await resetGame(openTable(), { file, force: false, clock: () => s.now });
    const [header = ""] = (await readFile(file, "utf8")).split("\n");
    expect(JSON.parse(header).awards).toEqual(all);
    s.now += MINUTE;
    expect((await awards(gm)).last_human).not.toEqual(last_human);
  });
});
