/**
 * Missions: who knows of them, what is announced, attendance, closing with rewards, and what is required. Interruptions and
 * crowds are in `bulk.test.ts` and `tests/battery/faults`, leaks in `tests/battery/visibility`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { ATTENDED, keys } from "../../lib/store/keys.ts";
import { blackPng } from "../support/pictures.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { drift } from "../support/recount.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { aliasesIn, expectRefused, idOf, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const { s, push, pathsPushed, subscribe, sweepAndWork } = pushEnvironment();
const { read, admin, done, logsOf, leave } = shortRequests(s);

type Body = Record<string, unknown>;

const UNKNOWN = "01900000-0000-7000-8000-000000000000";

let gm: TestPlayer;
let zed: TestPlayer;
let ada: TestPlayer;
let ben: TestPlayer;
const begin = playedOnce(s, () => s.game("Zed", "Ada", "Ben"));
beforeEach(async () => {
  [gm, zed, ada, ben] = await begin();
});

const at = (milliseconds: number): string => rfc3339(s.now + milliseconds);
const briefing = (audience: string, more: Body = {}): Body => ({
  ...{ audience, text: `For ${audience}.`, reveal_at: at(-MINUTE), ...more },
});
const asked = (more: Body = {}): Body => ({
  ...{ title: "The drop", starts_at: at(HOUR), ends_at: at(2 * HOUR), place: "The library" },
  ...{ briefings: [briefing("all")], attendance: "desk", ...more },
});
const set = (body: Body): Promise<Result> => admin(gm, "set_mission", body);
const create = async (more: Body = {}): Promise<string> =>
  (await done(gm, "set_mission", asked(more))).mission_id;
const attend = (mission_id: string, ...aliases: string[]) =>
  done(gm, "mission_attendance", { mission_id, aliases });
const close = (mission_id: string, more: Body = {}, key?: string) =>
  admin(gm, "close_mission", { mission_id, result: "humans", ...more }, key);
const missionsOf = async (as: TestPlayer): Promise<Body[]> => (await read(as, "/missions")).missions;
const readOne = (as: TestPlayer, mission_id: string): Promise<Result> =>
  s.call("GET /missions/{url_id}", { as, query: { mission_id } });
const one = async (as: TestPlayer, mission_id: string): Promise<Body> =>
  (await readOne(as, mission_id)).body.missions[0];
const titlesOf = async (as: TestPlayer): Promise<string[]> =>
  (await read(as, "/notifications/inbox")).notifications
    .filter(({ kind }: { kind?: string }) => kind === undefined)
    .map(({ title }: { title: string }) => title);
const pointsOf = async (as: TestPlayer): Promise<number> => (await s.see(as)).points;
const forAll = (effect: Body) => [{ audience: "all", effect }];

describe("a mission", () => {
  it("exists for those alone who have a revealed briefing, whatever else they ask", async () => {
    const { body } = await set(asked({ briefings: [briefing("zombies", { outcome_text: "They fell." })] }));
    expect(body).toMatchObject({ version: 1, draft: false, complete: true, picture_url: null });
    const [seen] = await missionsOf(zed);
    expect(seen).toMatchObject({ title: "The drop", place: "The library", result: null });
    expect(seen?.briefings).toEqual([expect.objectContaining({ audience: "zombies", outcome_text: null })]);
    // A version counts changes that a side may not know.
    for (const name of ["version", "draft", "closings", "attended_count"])
      expect(seen).not.toHaveProperty(name);
    const [unknown, hidden] = [await readOne(ada, UNKNOWN), await readOne(ada, body.mission_id)];
    expect({ ...hidden.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    expect([hidden.status, hidden.body.code, await missionsOf(ada)]).toEqual([404, "not_found", []]);
    // The side counts as it is now.
    await s.hunt(zed, ada);
    expect(await missionsOf(ada)).toHaveLength(1);
    await done(gm, "cure", { alias: "Ada" });
    expect(await missionsOf(ada)).toEqual([]);
  });

  it("is looked up by the same reads for somebody who may not know it as one that does not exist", async () => {
    const hidden = await create({ briefings: [briefing("zombies", { text: "x".repeat(5_000) })] });
    const callsOf = async (mission_id: string): Promise<string[]> => {
      const calls: string[] = [];
      s.beforeCall = async (call) => void calls.push(call);
      await readOne(ada, mission_id);
      s.beforeCall = undefined;
      return calls;
    };
    // A process shows the game for a second that it has read.
    await readOne(ada, UNKNOWN);
    expect(await callsOf(hidden)).toEqual(await callsOf(UNKNOWN));
  });

  it("shows each side its briefings once they are revealed, and a hidden original zombie both", async () => {
    await done(gm, "settings", { hide_originals: true });
    const ova = await s.join("Ova");
    await s.outbreak(gm, ova);
    const sides = ["humans", "zombies", "corpses"].map((side) => briefing(side));
    const id = await create({ briefings: [...sides, briefing("all", { reveal_at: at(MINUTE) })] });
    const audiences = async (as: TestPlayer) =>
      ((await one(as, id)).briefings as Body[]).map(({ audience }) => audience);
    expect(await audiences(ada)).toEqual(["humans"]);
    expect(await audiences(zed)).toEqual(["zombies"]);
    expect(await audiences(ova)).toEqual(["humans", "zombies"]);
    expect(await audiences(gm)).toHaveLength(4);
    s.now += MINUTE;
    expect(await audiences(ada)).toEqual(["humans", "all"]);
    await done(gm, "corpsify", { alias: "Ada" });
    expect(await audiences(ada)).toEqual(["corpses", "all"]);
  });

  it("needs a briefing with a text, an end after its start, and a desk if it is required", async () => {
    const faults: [Body, string][] = [
      [asked({ briefings: [briefing("all", { text: " \n " })] }), "briefings.0.text"],
      [asked({ briefings: [] }), "briefings"],
      [asked({ briefings: undefined }), "briefings"],
      [asked({ ends_at: at(HOUR) }), "ends_at"],
      [asked({ required: true, attendance: "none" }), "required"],
      [asked({ required_to_play: true, attendance: undefined }), "required_to_play"],
      [asked({ latitude: 1 }), "longitude"],
      [asked({ version: 1 }), "version"],
      [asked({ rewards: forAll({}) }), "rewards.0.effect"],
    ];
    for (const [body, path] of faults) expect((await set(body)).body.errors, path).toMatchObject([{ path }]);
    expect((await set({})).body.errors).toHaveLength(4);
    await expectRefused(set({ mission_id: UNKNOWN, title: "No" }), "not_found");
    expect(await missionsOf(gm)).toEqual([]);
  });

  it("is changed by one of two who have read the same version, and keeps what is left out", async () => {
    const { body: mission } = await set(asked({ latitude: 1, longitude: 2 }));
    const { mission_id } = mission;
    const { body } = await set({ mission_id, version: 1, title: "The other drop" });
    expect(body).toEqual({ ...mission, title: "The other drop", version: 2 });
    await expectRefused(set({ mission_id, version: 1, place: "Here" }), "changed_meanwhile");
    expect((await set({ mission_id, latitude: null })).body.errors).toMatchObject([{ path: "longitude" }]);
    const moved = (await set({ mission_id, place: "The pond", latitude: null, longitude: null })).body;
    expect(moved).toMatchObject({ place: "The pond", latitude: null, longitude: null });
    expect((await set({ mission_id, place: null })).body).toMatchObject({ place: null, latitude: null });
    expect((await logsOf(gm, "set_mission"))[0].details).toEqual({
      ...{ mission_id, title: "The other drop", version: 4 },
    });
  });

  it("that is a draft is told to nobody, and one that was revealed cannot be hidden again", async () => {
    const mission_id = await create({ draft: true });
    expect(await missionsOf(ada)).toEqual([]);
    await expectRefused(admin(gm, "mission_attendance", { mission_id, alias: "Ada" }), "wrong_state");
    await expectRefused(close(mission_id), "wrong_state");
    s.now += 2 * MINUTE;
    await s.sweep();
    expect(await titlesOf(ada)).toEqual([]);
    await set({ mission_id, draft: false, place: "The pond" });
    expect(await titlesOf(ada)).toEqual(["Mission: The drop"]);
    for (const more of [{}, { briefings: [briefing("humans")] }])
      await expectRefused(set({ mission_id, draft: true, ...more }), "wrong_state");
    const later = [briefing("all", { reveal_at: at(HOUR) })];
    const fewer = ["humans", "zombies"].map((side) => briefing(side));
    for (const briefings of [later, fewer])
      await expectRefused(set({ mission_id, briefings }), "wrong_state");
    // A correction is read at once, and is no news.
    const corrected = briefing("all", { text: "Corrected." });
    await set({ mission_id, briefings: [corrected] });
    expect((await one(ada, mission_id)).briefings).toMatchObject([{ text: "Corrected." }]);
    await s.sweep();
    expect(await titlesOf(ada)).toEqual(["Mission: The drop"]);
    // A second one for the same audience is.
    await set({ mission_id, briefings: [corrected, briefing("all", { reveal_at: at(MINUTE) })] });
    s.now += MINUTE;
    await s.sweep();
    expect(await titlesOf(ada)).toEqual(["Mission: The drop", "Mission: The drop"]);
  });

  it("is listed page by page, the newest first, in full pages also of those that are for others", async () => {
    for (let n = 0; n < 6; n += 1) {
      s.now += 1_000;
      await create({ title: `Number ${n}`, briefings: [briefing(n % 2 === 0 ? "humans" : "zombies")] });
    }
    const page = (query: Record<string, string | number>) => read(ada, "/missions", query);
    const first = await page({ limit: 2 });
    expect(first.missions.map(({ title }: Body) => title)).toEqual(["Number 4", "Number 2"]);
    const second = await page({ limit: 2, cursor: first.next_cursor });
    expect(second).toMatchObject({ missions: [{ title: "Number 0" }], next_cursor: null });
  });

  it("has a picture that only those can find who know the mission", async () => {
    // Each picture is decoded by a process of its own.
    const pictures = { ...THROTTLES.pictures, burst: 3 };
    Object.assign(s.services, { throttles: { ...THROTTLES, pictures } });
    const id = await create({ briefings: [briefing("zombies")] });
    const image = blackPng(9, 4).toString("base64");
    const setPicture = (mission_id: string, picture = image) =>
      admin(gm, "mission_picture", { mission_id, image: picture });
    const { picture_url } = (await setPicture(id)).body;
    expect((await one(zed, id)).picture_url).toBe(picture_url);
    const fetched = (path: string) =>
      s.call("GET /pictures/{picture_id}", { id: path.slice("/pictures/".length) });
    expect((await fetched(picture_url)).headers["content-type"]).toBe("image/webp");
    await expectRefused(fetched(`/pictures/${id}.${"x".repeat(22)}`), "no_picture");
    expect((await set({ mission_id: id, clear_picture: true })).body.picture_url).toBeNull();
    await expectRefused(fetched(picture_url), "no_picture");
    const { picture_url: earlier } = (await setPicture(id)).body;
    await setPicture(id, blackPng(8, 4).toString("base64"));
    await expectRefused(fetched(earlier), "no_picture");
    await expectRefused(setPicture(UNKNOWN), "not_found");
    await expectRefused(setPicture(id), "too_many_attempts");
  });

  it("for all is on the public board, without what is for a side", async () => {
    await done(gm, "settings", { public_board: true });
    await create({ briefings: [briefing("zombies")] });
    const id = await create({ title: "Open", briefings: [briefing("all"), briefing("humans")] });
    const { body } = await s.call("GET /public", {});
    expect(body.board.missions).toMatchObject([{ mission_id: id, briefings: [{ audience: "all" }] }]);
    expect(body.board.missions[0]).not.toHaveProperty("rewards");
  });
});

describe("announcements", () => {
  const announced = async () => {
    push().received().length = 0;
    await sweepAndWork();
  };

  it("of a reveal, a start in half an hour, a change and a result reach the side that knows, judged at delivery", async () => {
    for (const as of [zed, ada, ben]) await subscribe(as, `/${as.alias}`);
    const starts_at = at(3 * HOUR);
    // What is revealed after the start holds up nothing.
    const zombies = briefing("zombies", { reveal_at: at(3.5 * HOUR) });
    const briefings = [briefing("humans", { reveal_at: at(HOUR) }), zombies];
    const mission_id = await create({ starts_at, ends_at: at(4 * HOUR), briefings });
    await announced();
    expect([pathsPushed(), await titlesOf(ada)]).toEqual([[], []]);
    s.now += HOUR;
    await s.sweep();
    // Ben changes sides before the delivery.
    await s.hunt(zed, ben);
    await s.work({ hurry: true });
    expect(pathsPushed()).toEqual(["/Ada"]);
    // Nothing is announced twice.
    await announced();
    expect(pathsPushed()).toEqual([]);
    s.now += 1.5 * HOUR;
    await announced();
    expect(pathsPushed()).toEqual(["/Ada"]);
    await set({ mission_id, place: "The bridge" });
    await set({ mission_id, required: true });
    await announced();
    expect(pathsPushed()).toEqual(["/Ada"]);
    await close(mission_id, { note: "Well done." });
    await announced();
    expect(pathsPushed()).toEqual(["/Ada"]);
    const titles = ["Result", "Changed", "Soon", "Mission"].map((word) => `${word}: The drop`);
    expect([await titlesOf(ada), await titlesOf(zed)]).toEqual([titles, []]);
    // Who mutes missions gets no push of them, whoever they are for; the inbox has them all the same.
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { push_kinds: ["game"] } });
    const open = await create({ title: "Open", briefings: [briefing("all")] });
    await announced();
    expect([pathsPushed(), (await titlesOf(ada))[0]]).toEqual([["/Ben", "/Zed"], "Mission: Open"]);
    await create({ title: "Shelter", briefings: [briefing("humans")] });
    await announced();
    expect([pathsPushed(), (await titlesOf(ada))[0]]).toEqual([[], "Mission: Shelter"]);
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { push_kinds: ["missions"] } });
    await close(open);
    await announced();
    expect(pathsPushed()).toEqual(["/Ada", "/Ben", "/Zed"]);
    // They lead to the page of missions, as a push does.
    const [result] = (await read(ada, "/notifications/inbox")).notifications;
    expect(result.navigate).toBe("/app/missions");
    // A side that knew it as one for all is told of a change.
    const shared = await create({ title: "Shared", briefings: [briefing("all")] });
    const briefed = ["humans", "zombies", "corpses"].map((side) => briefing(side));
    await set({ mission_id: shared, place: "The pond", briefings: briefed });
    for (const as of [ada, zed]) expect(await titlesOf(as)).toContain("Changed: Shared");
  });

  it("of a start come again when it is postponed, and none come of a mission that is over", async () => {
    const mission_id = await create({ starts_at: at(20 * MINUTE), ends_at: at(5 * HOUR) });
    s.now += MINUTE;
    await s.sweep();
    // Who learns of a mission just before it needs no reminder.
    expect(await titlesOf(ada)).toEqual(["Mission: The drop"]);
    await set({ mission_id, starts_at: at(2 * HOUR) });
    s.now += 1.5 * HOUR;
    await s.sweep();
    expect(await titlesOf(ada)).toEqual(["Soon: The drop", "Changed: The drop", "Mission: The drop"]);
    await set({ mission_id, briefings: [briefing("all"), briefing("humans", { reveal_at: at(HOUR) })] });
    await close(mission_id, { result: "cancelled" });
    s.now += 2 * HOUR;
    await s.sweep();
    expect((await titlesOf(ada))[0]).toBe("Cancelled: The drop");
    // No sweep ran from before its reveal until after its end.
    const missed = await create({ title: "Missed", briefings: [briefing("all", { reveal_at: at(MINUTE) })] });
    s.now += 2 * HOUR;
    await s.sweep();
    expect((await titlesOf(ada))[0]).toBe("Cancelled: The drop");
    expect(await one(ada, missed)).toMatchObject({ title: "Missed" });
  });

  it("name local times by the rules of the zone at that time, also across a change of the clock", async () => {
    s.now = Date.parse("2031-10-20T12:00:00Z");
    gm = await s.login(gm.alias, gm.password);
    await done(gm, "settings", { time_zone: "Europe/Berlin" });
    const as = await s.login(ada.alias, ada.password);
    await create({ starts_at: "2031-10-26T00:30:00Z", ends_at: "2031-10-26T01:30:00Z" });
    const { notifications } = await read(as, "/notifications/inbox");
    expect(notifications[0].content).toMatch(/02:30 .*to .*02:30 .*Place: The library\.$/);
    expect(notifications[0].content).toContain("CEST");
    expect(notifications[0].content).toMatch(/02:30 (CET|GMT\+1)\./);
  });
});

describe("attendance", () => {
  it("is entered once, by alias, code, list or label, also by two desks at once, and can be taken back", async () => {
    const mission_id = await create();
    const enter = (body: Body, as = gm) => admin(as, "mission_attendance", { mission_id, ...body });
    const both = await Promise.all([enter({ alias: "ada" }), enter({ aliases: ["Ada", "Ben"] })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await one(gm, mission_id)).attended_count).toBe(2);
    const again = (await enter({ tag_code: ben.code })).body;
    expect(again).toMatchObject({ count: 1, repeated_count: 1, repeated: true });
    expect(again.players).toMatchObject([{ alias: "Ben", state: "human", repeated: true }]);
    await done(gm, "label", { aliases: ["Zed", "Ben"], add: ["waiver"] });
    const labelled = (await enter({ all_with_label: "waiver" })).body;
    expect(labelled).toEqual({
      ...{ mission_id, count: 2, repeated_count: 1, repeated: false },
    });
    expect([(await one(zed, mission_id)).attended, (await missionsOf(gm))[0]?.attended_count]).toEqual([
      true,
      3,
    ]);
    expect((await enter({ aliases: ["Zed", "Ben"], undo: true })).body).toMatchObject({ repeated_count: 0 });
    expect((await enter({ alias: "Zed", undo: true })).body).toMatchObject({ repeated: true });
    expect([(await one(zed, mission_id)).attended, (await one(gm, mission_id)).attended_count]).toEqual([
      false,
      1,
    ]);
    const { attendance } = (await readOne(gm, mission_id)).body;
    expect(attendance).toMatchObject([
      { alias: "Ada", side_at_start: null, side: "human", entered_by: "Game Master" },
    ]);
    expect((await readOne(ada, mission_id)).body).not.toHaveProperty("attendance");
    await expectRefused(enter({ alias: "Nobody" }), "player_not_found");
    await expectRefused(enter({ tag_code: "AAAAAAAA" }), "unknown_tag_code");
    await expectRefused(admin(gm, "mission_attendance", { mission_id: UNKNOWN, alias: "Ada" }), "not_found");
    expect((await enter({ alias: "Ada", aliases: ["Ada"] })).status).toBe(400);
    await done(gm, "new_tag_code", { alias: "Ada" });
    await expectRefused(enter({ tag_code: ada.code }), "code_replaced");
    await s.hunt(zed, ben);
    await expectRefused(enter({ tag_code: ben.code }), "already_tagged");
    expect(await drift(s)).toEqual([]);
  });

  it("is entered by moderators who know the mission, but not their own", async () => {
    const moe = await s.moderator("Moe");
    const [open, hidden] = [await create(), await create({ briefings: [briefing("zombies")] })];
    const enter = (mission_id: string, alias: string) =>
      admin(moe, "mission_attendance", { mission_id, alias });
    expect((await enter(open, "Ada")).status).toBe(200);
    await expectRefused(enter(open, "Moe"), "ask_game_master");
    const withOwn = { mission_id: open, aliases: ["Ada", "Moe"] };
    await expectRefused(admin(moe, "mission_attendance", withOwn), "ask_game_master");
    const [known, unknown] = [await enter(hidden, "Ada"), await enter(UNKNOWN, "Ada")];
    expect({ ...known.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    const guess = () => admin(moe, "mission_attendance", { mission_id: open, tag_code: "AAAAAAAA" });
    for (let n = 0; n < 10; n += 1) await expectRefused(guess(), "unknown_tag_code");
    await expectRefused(guess(), "too_many_attempts");
  });

  it("has the side at the start, and is entered after the end only from a list, with a reason", async () => {
    const mission_id = await create();
    s.now += 90 * MINUTE;
    await s.hunt(zed, ben);
    const enter = (body: Body) => admin(gm, "mission_attendance", { mission_id, ...body });
    await enter({ alias: "Ben" });
    const sides = { alias: "Ben", side_at_start: "human", side: "zombie" };
    expect((await readOne(gm, mission_id)).body.attendance).toMatchObject([sides]);
    const { starts_at } = (await readOne(gm, mission_id)).body;
    await done(gm, "set_mission", { mission_id, starts_at: rfc3339(s.now + MINUTE) });
    const moved = (await readOne(gm, mission_id)).body.attendance;
    expect(moved).toMatchObject([{ ...sides, side_at_start: null }]);
    await done(gm, "set_mission", { mission_id, starts_at });
    s.now += HOUR;
    await expectRefused(enter({ alias: "Ada" }), "closed");
    expect((await enter({ alias: "Ada", late: true })).body.errors).toMatchObject([{ path: "reason" }]);
    expect((await enter({ alias: "Ada", late: true, reason: "On the list." })).status).toBe(200);
    const { attendance } = (await readOne(gm, mission_id)).body;
    expect(attendance).toContainEqual(
      expect.objectContaining({ alias: "Ada", late: true, reason: "On the list.", side_at_start: "human" }),
    );
    await close(mission_id);
    await expectRefused(enter({ alias: "Zed", late: true, reason: "Forgotten." }), "wrong_state");
    await expectRefused(enter({ alias: "Ada", undo: true, late: true, reason: "No." }), "wrong_state");
  });
});

describe("closing a mission", () => {
  const REWARDS = [
    { audience: "humans", effect: { points: 5, badge: { name: "Carrier", symbol: "📦" } } },
    { audience: "zombies", effect: { points: 3, message: "Well hunted." } },
  ];
  const ZOMBIES_ONLY = REWARDS.slice(1);

  it("gives each who attended the rewards of the side at the start, once, and tells the outcome", async () => {
    const briefings = [briefing("humans", { outcome_text: "The crates are safe." }), briefing("zombies")];
    const mission_id = await create({ rewards: REWARDS, briefings });
    expect((await one(ada, mission_id)).rewards).toMatchObject([REWARDS[0]]);
    await attend(mission_id, "Ada", "Ben", "Zed");
    s.now += 90 * MINUTE;
    // Ben is turned during the mission; Zoe joins in it, and Cid attends without being entered.
    await s.hunt(zed, ben);
    const [zoe] = await s.joinAll("Zoe", "Cid");
    await attend(mission_id, "Zoe");
    const preview = (await close(mission_id, { dry_run: true })).body;
    expect(preview).toMatchObject({ count: 4, skipped: 0, next_cursor: null });
    expect(preview.players).toContainEqual(
      expect.objectContaining({ alias: "Ben", state: "zombie", side: "human", rewards: [REWARDS[0]] }),
    );
    const first = (await close(mission_id, { dry_run: true, limit: 3 })).body;
    const rest = (await close(mission_id, { dry_run: true, limit: 3, cursor: first.next_cursor })).body;
    expect([...first.players, ...rest.players]).toHaveLength(4);
    expect(await pointsOf(ada)).toBe(0);
    for (const word of ["close_mission", "reopen_mission"])
      await expectRefused(
        admin(gm, word, { mission_id: UNKNOWN, ...(word === "close_mission" ? { result: "both" } : {}) }),
        "not_found",
      );
    const closed = await close(mission_id, { note: "By a hair." });
    expect(closed).toMatchObject({ status: 200, body: { count: 4, skipped: 0, complete: true } });
    const all = [ada, ben, zoe, zed];
    expect(await Promise.all(all.map(pointsOf))).toEqual([5, 5, 5, 3]);
    expect((await s.see(ada)).badges).toEqual([{ name: "Carrier", symbol: "📦" }]);
    // Ben is a zombie by now, and sees the rewards of zombies beside what he got as a human.
    const { rewards, earned } = await one(ben, mission_id);
    expect([rewards, earned]).toEqual([[REWARDS[1]], [REWARDS[0]?.effect]]);
    // An earlier version stored of a reward only the interaction.
    const { db } = s.store;
    const stored = await db.get(keys.attended(mission_id, String(ben.id)));
    const given = Object(stored?.rewarded)[0];
    expect(given).toMatchObject({ reward: 0, badge: true });
    const { interaction_id, shards } = given;
    await db.put({
      ...stored,
      ...keys.attended(mission_id, String(ben.id)),
      rewarded: [{ interaction_id, shards }],
    });
    expect((await one(ben, mission_id)).earned).toEqual(earned);
    // A minute later, one query of an index has it all, unless an earlier version has closed the mission again.
    const seenByAll = async () => {
      const sortKeys: string[] = [];
      s.beforeCall = (_, wanted) => void sortKeys.push(...wanted.map(({ sk }) => sk));
      const views = await Promise.all([...all, gm].map((as) => one(as, mission_id)));
      s.beforeCall = undefined;
      return { views, isByKey: sortKeys.some((sk) => sk.startsWith(ATTENDED)) };
    };
    const byKey = await seenByAll();
    expect(byKey.views.map(({ attended }) => attended)).toEqual([true, true, true, true, false]);
    expect(byKey.isByKey).toBe(true);
    s.now += MINUTE;
    expect(await seenByAll()).toEqual({ ...byKey, isByKey: false });
    const item = await db.get(keys.mission(mission_id));
    await db.put({ ...item, ...keys.mission(mission_id), listed_at: rfc3339(0) });
    expect(await seenByAll()).toEqual(byKey);
    const seen = await one(ada, mission_id);
    expect(seen).toMatchObject({ result: "humans", note: "By a hair.", closed_at: expect.any(String) });
    expect(seen.briefings).toMatchObject([{ outcome_text: "The crates are safe." }]);
    await expectRefused(close(mission_id), "wrong_state");
    await expectRefused(set({ mission_id, rewards: [] }), "wrong_state");
    expect((await set({ mission_id, title: "The crates" })).status).toBe(200);
    expect(await Promise.all(all.map(pointsOf))).toEqual([5, 5, 5, 3]);
    const logged = (await logsOf(gm, "close_mission")).filter(({ outcome }: Body) => outcome === "done");
    expect(logged[0].details).toMatchObject({ mission_id, count: 4 });
    expect(await drift(s)).toEqual([]);
  });

  it("shows a game master who plays a hidden original as others do, also one who was cured since the start", async () => {
    await done(gm, "settings", { hide_originals: true });
    const ova = await s.join("Ova");
    await s.outbreak(gm, ova);
    const gil = await s.admin("Gil");
    await done(gm, "revive_h", { alias: "Gil" });
    const mission_id = await create({ starts_at: at(0), rewards: REWARDS });
    s.now += MINUTE;
    await attend(mission_id, "Ova");
    const preview = { mission_id, result: "both", dry_run: true };
    const { players } = await done(gil, "close_mission", preview);
    expect(players).toMatchObject([{ alias: "Ova", side: "human", rewards: [REWARDS[0]] }]);
    expect((await done(gm, "close_mission", preview)).players).toMatchObject([{ rewards: REWARDS }]);
    await done(gm, "mission_attendance", { mission_id, alias: "Ova", undo: true });
    await done(gm, "cure", { alias: "Ova" });
    await attend(mission_id, "Ova");
    for (const [as, side_at_start] of [
      [gil, "human"],
      [gm, "zombie"],
    ] as const)
      expect((await readOne(as, mission_id)).body.attendance).toMatchObject([{ side_at_start }]);
  });

  it("counts and names for a game master who plays nobody but those who would get something as they are known", async () => {
    await done(gm, "settings", { hide_originals: true });
    const ova = await s.join("Ova");
    await s.outbreak(gm, ova);
    const gil = await s.admin("Gil");
    await done(gm, "revive_h", { alias: "Gil" });
    const all = { audience: "all", effect: { feed_seconds: 60 } };
    const mission_id = await create({ starts_at: at(0), rewards: [...ZOMBIES_ONLY, all] });
    s.now += HOUR;
    await attend(mission_id, "Ova", "Ada", "Zed");
    const closing = { mission_id, result: "both" };
    const known = { count: 1, skipped: 2, complete: true };
    const { players, ...counts } = await done(gil, "close_mission", { ...closing, dry_run: true });
    expect([aliasesIn(players), counts]).toMatchObject([["Zed"], known]);
    // Also while it is not done.
    s.timeLeft = () => 0;
    expect((await admin(gil, "close_mission", closing, "once")).body).toMatchObject({ count: 0, skipped: 3 });
    s.timeLeft = undefined;
    expect((await admin(gil, "close_mission", closing, "once")).body).toMatchObject(known);
    const [logged] = await logsOf(gm, "close_mission");
    expect(logged.details).toMatchObject({ title: "The drop", count: 2, skipped: 1 });
    expect(await done(gil, "reopen_mission", { mission_id })).toMatchObject({
      count: 1,
      skipped: 0,
      kept: 0,
    });
    expect((await done(gm, "close_mission", closing)).count).toBe(2);
    expect((await done(gm, "reopen_mission", { mission_id })).count).toBe(2);
  });

  it("shows nobody what a hidden original got as a zombie who was cured since the start", async () => {
    await done(gm, "settings", { hide_originals: true });
    const ova = await s.join("Ova");
    await s.outbreak(gm, ova);
    const mission_id = await create({ starts_at: at(0), rewards: ZOMBIES_ONLY });
    await attend(mission_id, "Ova");
    s.now += MINUTE;
    await done(gm, "cure", { alias: "Ova" });
    await close(mission_id);
    expect(await pointsOf(ova)).toBe(3);
    const { body } = await s.must("POST /get_player/{url_id}", { as: ada, body: { alias: "Ova" } });
    expect(body).toMatchObject({ state: "human", points: 0 });
    await done(gm, "reopen_mission", { mission_id });
    expect([await pointsOf(ova), await drift(s)]).toEqual([0, []]);
  });

  it("at once from two desks gives everything once", async () => {
    const mission_id = await create({ rewards: forAll({ points: 2 }) });
    await attend(mission_id, "Ada", "Ben");
    const both = await Promise.all([close(mission_id), close(mission_id, { result: "zombies" })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await Promise.all([ada, ben].map(pointsOf))).toEqual([2, 2]);
  });

  it("whose job was lost, as an archive has none, can be reopened, which takes back what was given", async () => {
    const mission_id = await create({ rewards: forAll({ points: 2 }) });
    await attend(mission_id, "Ada", "Ben");
    const reopen = () => admin(gm, "reopen_mission", { mission_id });
    for (const [interrupted, given] of [
      [close, 0],
      [reopen, 2],
    ] as const) {
      s.timeLeft = () => 0;
      const { status, body } = await interrupted(mission_id);
      s.timeLeft = undefined;
      expect(status).toBe(202);
      await expectRefused(reopen(), "wrong_state");
      await s.store.db.transact([{ remove: keys.job(body.job_id) }], body.job_id);
      await expectRefused(close(mission_id), "wrong_state");
      expect((await reopen()).body).toMatchObject({ count: given, complete: true });
      expect(await pointsOf(ada)).toBe(0);
      expect((await close(mission_id)).body).toMatchObject({ count: 2, complete: true });
      expect(await Promise.all([ada, ben].map(pointsOf))).toEqual([2, 2]);
    }
    expect(await drift(s)).toEqual([]);
  });

  it("that is cancelled gives nothing, and skips who has left or cannot use the reward", async () => {
    const cancelled = await create({ rewards: forAll({ points: 2 }) });
    await attend(cancelled, "Ada");
    expect((await close(cancelled, { result: "cancelled" })).body).toMatchObject({ count: 0, skipped: 0 });
    s.now += MINUTE;
    expect(await one(ada, cancelled)).toMatchObject({ attended: true, earned: [] });
    const mission_id = await create({ rewards: forAll({ feed_seconds: 3_600 }) });
    await attend(mission_id, "Ada", "Ben", "Zed");
    await leave(ben);
    await s.pass(47 * HOUR);
    const [before, closed] = [await s.see(zed), await close(mission_id)];
    expect(closed.body).toMatchObject({ count: 1, skipped: 2 });
    const moved = Date.parse((await s.see(zed)).starves_at) - Date.parse(before.starves_at);
    expect(moved).toBe(HOUR);
    const { attendance } = (await readOne(gm, mission_id)).body;
    expect(attendance.map(({ alias }: Body) => alias)).toContain(null);
    s.now += MINUTE;
    expect((await missionsOf(ada)).map(({ attended }) => attended)).toEqual([true, true]);
  });

  it("is taken back by reopening as far as possible, and both closings stay", async () => {
    const rewards = [
      { audience: "zombies", effect: { message: "Well hunted." } },
      { audience: "zombies", effect: { cure: true } },
      { audience: "humans", effect: { points: 2, badge: { name: "There", symbol: "✓" } } },
    ];
    const [yan, xia, una] = await s.joinAll("Yan", "Xia", "Una");
    for (const prey of [yan, xia]) await s.hunt(zed, prey);
    const voided = idOf(await s.hunt(zed, una));
    const mission_id = await create({ rewards });
    s.now += 61 * MINUTE;
    await attend(mission_id, "Ada", "Yan", "Xia", "Una", gm.alias);
    await close(mission_id, { result: "zombies" });
    expect((await one(ada, mission_id)).earned).toEqual([rewards[2]?.effect]);
    expect([(await s.see(yan)).state, (await s.see(xia)).state]).toEqual(["human", "human"]);
    // Xia is tagged again, so the cure is past; Una was not tagged.
    await s.hunt(zed, (await s.see(xia)).tag_code);
    const disputed = { interaction_id: voided, reason: "I was inside." };
    await s.must("POST /interactions/dispute/{url_id}", { as: una, body: disputed });
    await done(gm, "resolve_dispute", { dispute_id: voided, outcome: "void", note: "Not tagged." });
    const reopened = (await admin(gm, "reopen_mission", { mission_id })).body;
    expect(reopened).toMatchObject({ count: 4, kept: 2, complete: true });
    const states = await Promise.all([yan, xia, una].map(async (as) => (await s.see(as)).state));
    expect(states).toEqual(["zombie", "zombie", "human"]);
    expect(await Promise.all([ada, yan, xia].map(pointsOf))).toEqual([0, 0, 0]);
    expect((await s.see(ada)).badges).toEqual([]);
    expect(await one(ada, mission_id)).toMatchObject({ result: null, closed_at: null });
    await expectRefused(admin(gm, "reopen_mission", { mission_id }), "wrong_state");
    // The preview has the sides at the start, whoever the rewards are for: Xia was a zombie before, a game master is none,
    // also if they have been shown secrets, which keeps them out of play.
    await done(gm, "show_secrets", { alias: "Ada" });
    await set({ mission_id, rewards: forAll({ points: 2 }) });
    const { players } = (await close(mission_id, { dry_run: true })).body;
    const sides = players.map(({ alias, side }: Body) => [alias, side]);
    expect(Object.fromEntries(sides)).toMatchObject({
      ...{ Ada: "human", Yan: "zombie", Xia: "zombie", [gm.alias]: "spectator" },
    });
    s.now += MINUTE;
    const attended = async () =>
      (await Promise.all([ada, yan, xia].map((as) => one(as, mission_id)))).map((seen) => seen.attended);
    expect(await attended()).toEqual([true, true, true]);
    const undo = { mission_id, alias: "Ada", undo: true };
    await done(gm, "mission_attendance", undo);
    await close(mission_id, { note: "Counted again." });
    expect(await Promise.all([ada, yan].map(pointsOf))).toEqual([0, 2]);
    s.now += MINUTE;
    expect([await attended(), (await one(yan, mission_id)).earned]).toEqual([
      [false, true, true],
      [{ points: 2 }],
    ]);
    const { closings } = await one(gm, mission_id);
    expect(closings).toMatchObject([
      { result: "zombies", reopened_at: expect.any(String) },
      { result: "humans", note: "Counted again.", reopened_at: null },
    ]);
    expect(await drift(s)).toEqual([]);
  });
});

describe("required missions", () => {
  const require_ = (more: Body = {}) => create({ required: true, ...more });
  const enforce = (body: Body = {}) => admin(gm, "enforce_missions", { min: 1, ...body });

  it("are enforced by the rules of a checkpoint, with a preview and an undo, and never by themselves", async () => {
    await done(gm, "settings", { missions_required: 2 });
    const second = await require_({ starts_at: at(2 * HOUR), ends_at: at(3 * HOUR) });
    const first = await require_();
    await create({ starts_at: at(50 * HOUR), ends_at: at(51 * HOUR), required: true, title: "Later" });
    await attend(first, "Ada", "Ben");
    await attend(second, "Ada");
    const counted = async (as: TestPlayer) => {
      const { missions_attended, missions_needed } = await read(as, "/missions", { limit: 1 });
      return [missions_attended, missions_needed];
    };
    s.now += HOUR;
    // The second has not begun.
    expect(await counted(ada)).toEqual([1, 2]);
    // Who joins before the last of them begins has to attend, whichever was made first.
    const mid = await s.join("Mid");
    s.now += HOUR + MINUTE;
    const all = await Promise.all([ada, ben, zed].map(counted));
    expect(all).toEqual([2, 1, 0].map((attended) => [attended, 2]));
    const late = await s.join("Late");
    const [zedNow] = [await s.see(zed)];
    const short = await read(gm, "/admin/get_players", { missions_below: 2 });
    expect(aliasesIn(short.players)).toEqual(["Ben", "Mid", "Zed"]);
    await leave(mid);
    expect(aliasesIn((await read(gm, "/admin/get_players", { missions_below: 1 })).players)).toEqual(["Zed"]);
    const preview = (await enforce({ min: undefined, exempt: ["Zed"], dry_run: true })).body;
    expect(preview).toMatchObject({ killed: 1, spared: 2, needed: 2 });
    expect(preview.players).toEqual([{ alias: "Ben", state: "human", becomes: "corpse" }]);
    const page = (await enforce({ min: undefined, dry_run: true, limit: 1 })).body;
    expect([page.players, page.next_cursor]).toMatchObject([[{}], expect.any(String)]);
    expect((await s.see(ben)).state).toBe("human");
    await done(gm, "set_checkpoint", { name: "Gate" });
    await done(gm, "player_at_checkpoint", { alias: "Zed" });
    const { body } = await enforce({ min: undefined });
    expect(body).toMatchObject({ killed: 2, spared: 1, needed: 2, complete: true });
    expect(await Promise.all([ada, ben, zed, late].map(async (p) => (await s.see(p)).state))).toEqual([
      ...["human", "corpse", "corpse", "human"],
    ]);
    const undone = { checkpoint_id: body.job_id, reason: "The list was late." };
    expect((await admin(gm, "undo_checkpoint", undone)).body).toMatchObject({ restored: 2 });
    expect(await s.see(ben)).toMatchObject({ state: "human", tag_code: ben.code });
    expect(await s.see(zed)).toMatchObject({ state: "zombie", passed_at: expect.any(String) });
    expect(zedNow.state).toBe("zombie");
    const logged = (await logsOf(gm, "enforce_missions"))[0];
    expect(logged.details).toMatchObject({ killed: 2, spared: 1, complete: true });
    expect(await drift(s)).toEqual([]);
  });

  it("count for who attended them on another side, and tell nobody of one that only others know", async () => {
    await done(gm, "settings", { missions_required: 2 });
    const briefings = [briefing("humans")];
    const mission = await require_({ briefings, starts_at: at(-MINUTE) });
    await attend(mission, "Ben");
    await s.hunt(zed, ben);
    expect(await read(ben, "/missions")).toMatchObject({ missions: [], missions_attended: 1 });
    await close(mission, { result: "cancelled" });
    expect(await read(zed, "/missions")).toMatchObject({ missions_attended: 0, missions_needed: 2 });
    expect(await read(ada, "/missions")).toMatchObject({ missions_attended: 0, missions_needed: 1 });
  });

  it("make zombies where the checkpoint does, and say so to them", async () => {
    await done(gm, "settings", { checkpoint_outcome: "zombie" });
    const mission_id = await require_({ starts_at: at(MINUTE) });
    await done(gm, "set_checkpoint", { name: "Gate" });
    await done(gm, "player_at_checkpoint", { alias: "Ben" });
    await attend(mission_id, "Ada", "Zed");
    s.now += HOUR;
    expect((await enforce()).body).toMatchObject({ killed: 1 });
    // The pass of the checkpoint stays.
    expect(await s.see(ben)).toMatchObject({ state: "zombie", passed_at: expect.any(String) });
    const { notifications } = await read(ben, "/notifications/inbox", { limit: 10 });
    expect(notifications.map(({ content }: Body) => content)).toContain(
      "You attended too few missions. Tag a human before you starve.",
    );
  });

  it("that are cancelled count for nobody and lower what is needed; drafts and earlier ones do not count", async () => {
    const old = await require_({ starts_at: at(-HOUR) });
    await attend(old, "Ben");
    await close(await require_({ starts_at: at(-HOUR) }), { result: "cancelled" });
    const [held, cancelled] = [await require_({ starts_at: at(MINUTE) }), await require_()];
    await require_({ starts_at: at(MINUTE), draft: true });
    await attend(held, "Ada");
    await attend(cancelled, "Ben");
    await close(cancelled, { result: "cancelled" });
    s.now += 2 * MINUTE;
    await done(gm, "settings", { missions_counted_from: at(-HOUR) });
    const listed = async (n: number) =>
      aliasesIn((await read(gm, "/admin/get_players", { missions_below: n })).players);
    expect([await listed(1), await listed(2)]).toEqual([[], ["Ben", "Zed"]]);
    expect((await enforce({ min: 2, dry_run: true })).body).toMatchObject({ needed: 1, killed: 2 });
    await done(gm, "settings", { missions_required: 2 });
    expect(await read(zed, "/missions")).toMatchObject({ missions_attended: 0, missions_needed: 1 });
    await done(gm, "settings", { missions_required: null });
    await admin(gm, "reopen_mission", { mission_id: cancelled });
    expect((await enforce({ min: 2, dry_run: true })).body).toMatchObject({ needed: 2, killed: 3 });
    expect((await admin(gm, "enforce_missions", { dry_run: true })).body.errors).toMatchObject([
      { path: "min" },
    ]);
    const moe = await s.moderator("Moe");
    expect((await read(moe, "/admin/get_players", { missions_below: 2 })).players).toEqual([]);
    expect(await read(ada, "/missions")).toMatchObject({ missions_required: null });
  });
});
