/**
 * The end of a season: its grace, its result, and its reopening. Leaks are in `tests/battery/visibility`, interruptions in
 * `tests/battery/faults`, new seasons in `reset.test.ts`.
 */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { importGame } from "../../scripts/archive/import.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { beforeCalls } from "../support/beforeCalls.ts";
import { CRATES, missionAt } from "../support/constants.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { drift } from "../support/recount.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const { s, push, subscribe } = pushEnvironment({ at: Date.parse("2026-10-30T12:00:00Z") });
const { newFile, openTable, emptyTable, everything } = archives(s);
const { read, admin, done, logsOf, register, leave } = shortRequests(s);

type Body = Record<string, unknown>;

let gm: TestPlayer;
let zed: TestPlayer;
let ada: TestPlayer;
let ben: TestPlayer;
const begin = playedOnce(s, () => s.game("Zed", "Ada", "Ben"));
beforeEach(async () => {
  [gm, zed, ada, ben] = await begin();
  s.now += HOUR;
});

const finish = (more: Body = {}, as = gm): Promise<Result> =>
  admin(as, "finish_season", { result: "humans", grace_seconds: 0, ...more });
const finished = async (more: Body = {}): Promise<Body> => {
  const { status, text, body } = await finish(more);
  expect(status, text).toBe(200);
  return body;
};
const reopen = () => admin(gm, "reopen_season");
const gameOf = (as: TestPlayer) => read(as, "/game");
const publicPage = async () => (await s.must("GET /public", {})).body;
const tag = (prey: TestPlayer, hunted_at: number, as = zed): Promise<Result> =>
  s.call("POST /zombie/hunt/{url_id}", {
    as,
    body: { tag_code: prey.code, hunted_at: rfc3339(hunted_at) },
  });
const titlesOf = async (as: TestPlayer): Promise<string[]> =>
  (await read(as, "/notifications/inbox")).notifications.map(({ title }: { title: string }) => title);
const feedKinds = async (as: TestPlayer): Promise<string[]> =>
  (await read(as, "/interactions")).interactions.map(({ kind }: { kind: string }) => kind);
const GRACE = { grace_seconds: 30 * 60 };

describe("a finished season", () => {
  it("lets tags from before in until the grace is over, and then has its result for everybody", async () => {
    const endedAt = s.now;
    const { codes } = await done(gm, "create_codes", CRATES);
    const redeem = (): Promise<Result> =>
      s.call("POST /player/redeem/{url_id}", {
        as: ben,
        body: { code: codes[0].code, redeemed_at: rfc3339(endedAt - MINUTE) },
      });
    const note = "By a hair.";
    expect(await finished({ ...GRACE, note })).toMatchObject({
      ended_at: rfc3339(endedAt),
      final_at: rfc3339(endedAt + 30 * MINUTE),
      counts: { humans: 2, zombies: 1 },
      warnings: [],
    });
    const grace = { result: null, result_note: null, grace_until: rfc3339(endedAt + 30 * MINUTE) };
    s.now += 10 * MINUTE;
    for (const page of [await gameOf(ada), await publicPage()])
      expect(page).toMatchObject({ phase: "ended", situation: "last_tags", in_play: false, ...grace });
    await expectRefused(s.call("GET /interactions/awards/{url_id}", { as: ada }), "too_early");
    // What happened after the end does not count, and what happened before counts as ever.
    await expectRefused(tag(ada, endedAt + MINUTE), "not_running");
    await expectRefused(register("Late"), "registration_closed");
    // The end is fixed, and with it the clock.
    for (const word of ["pause_game", "resume_game", "zombies_add_day"])
      await expectRefused(admin(gm, word), "wrong_state");
    expect((await tag(ada, endedAt - MINUTE)).status).toBe(200);
    s.now += 20 * MINUTE;
    const known = { result: "humans", result_note: note, grace_until: null };
    for (const page of [await gameOf(ada), await publicPage()])
      expect(page).toMatchObject({ phase: "ended", situation: "ended", ...known });
    await expectRefused(tag(ben, endedAt - MINUTE), "not_running");
    await expectRefused(redeem(), "not_running");
    expect((await read(ada, "/interactions/awards")).most_kills.winners).toEqual(["Zed"]);
    expect((await finish()).body.code).toBe("wrong_state");
    expect(await drift(s)).toEqual([]);
  });

  it("is announced to everybody once, when its grace begins and when its result is known", async () => {
    await subscribe(ada, "/ada");
    await finished({ ...GRACE, note: "By a hair." });
    await s.sweep();
    await s.work({ hurry: true });
    expect(await titlesOf(ada)).toEqual(["Play is over"]);
    expect((await feedKinds(ada))[0]).toBe("finish");
    const [before] = (await read(ada, "/interactions")).interactions;
    expect(before.details).toEqual({});
    s.now += 31 * MINUTE;
    for (const _ of [1, 2]) {
      await s.sweep();
      await s.work({ hurry: true });
    }
    expect(await titlesOf(ada)).toEqual(["The humans have won.", "Play is over"]);
    const [after] = (await read(ada, "/interactions")).interactions;
    expect(after.details).toEqual({ season_result: "humans", season_note: "By a hair." });
    expect(push().received("/ada")).toHaveLength(2);
  });

  it("announces missions only once it is reopened", async () => {
    const reveal = (after: number) => ({
      briefings: [{ audience: "all", text: "Run.", reveal_at: rfc3339(s.now + after) }],
    });
    await done(gm, "set_mission", missionAt(s.now + 2 * HOUR, reveal(0)));
    await done(gm, "set_mission", missionAt(s.now + 3 * HOUR, { title: "The run", ...reveal(MINUTE) }));
    await finished();
    s.now += 40 * MINUTE;
    await s.sweep();
    expect((await titlesOf(ada)).toSorted()).toEqual(["Mission: The drop", "The humans have won."]);
    await reopen();
    await s.sweep();
    const announced = ["Mission: The run", "Soon: The drop"];
    expect(await titlesOf(ada)).toEqual(expect.arrayContaining(announced));
  });

  it("takes no game master out of play for a look at a tag code", async () => {
    const gil = await s.admin("Gil", true);
    await finished();
    await expectRefused(admin(gil, "show_secrets", { alias: "Ada" }), "not_running");
    expect((await s.see(gil)).state).toBe("human");
  });

  it("records a starvation from before the end by the sweep after it", async () => {
    const { starves_at } = await s.see(zed);
    s.now = Date.parse(starves_at) + SECOND;
    gm = await s.login(gm.alias, gm.password);
    await finished();
    s.now += MINUTE;
    await s.sweep();
    const [starved] = (await read(ada, "/interactions", { kind: "starve" })).interactions;
    expect(starved).toMatchObject({ target: "Zed", at: starves_at });
  });

  it("ends when the pause began, and keeps a planned end that has passed", async () => {
    const pausedAt = Date.parse((await done(gm, "pause_game")).since);
    s.now += HOUR;
    expect(await finished(GRACE)).toMatchObject({ ended_at: rfc3339(pausedAt), warnings: ["paused"] });
    expect(await gameOf(ada)).toMatchObject({ paused: false, ends_at: rfc3339(pausedAt) });
    expect((await tag(ada, pausedAt - MINUTE)).status).toBe(200);
    await expectRefused(tag(ben, pausedAt + MINUTE), "not_running");
    await reopen();
    await done(gm, "resume_game");
    const end = rfc3339(s.now + MINUTE);
    await done(gm, "settings", { ends_at: end });
    s.now += HOUR;
    expect(await finished()).toMatchObject({ ended_at: end });
  });

  it("replaces a planned end that is still to come, and keeps the schedule", async () => {
    const play_hours = { monday: [["00:00", "24:00"]], tuesday: [["00:00", "24:00"]] };
    await done(gm, "settings", { ends_at: rfc3339(s.now + DAY), play_hours, time_zone: "Europe/Zurich" });
    const endedAt = (await finished()).ended_at;
    const now = { ends_at: endedAt, time_zone: "Europe/Zurich", next_change_at: null };
    expect(await gameOf(ada)).toMatchObject(now);
    await expectRefused(admin(gm, "settings", { ends_at: rfc3339(s.now + DAY) }), "wrong_state");
    // What is no part of the clock can be changed.
    expect((await done(gm, "settings", { name: "Next autumn" })).name).toBe("Next autumn");
  });

  it("is rejected before the start, while an enforcement runs or a mission is closed, and of unknown winners", async () => {
    await expectRefused(
      finish({ awards: [{ title: "Best", alias: "Nobody", text: "x" }] }),
      "invalid_request",
    );
    await expectRefused(finish({ grace_seconds: 86_401 }), "invalid_request");
    await expectRefused(reopen(), "wrong_state");
    const game = await s.store.game();
    await s.store.db.put({ ...game, ...keys.game, rev: game.rev + 1, enforcing: "a-job" });
    await expectRefused(finish(), "busy");
    await s.store.db.put({ ...game, ...keys.game, rev: game.rev + 2 });
    const reset = { at: rfc3339(s.now), file: "", sha256: "a-job", shards: 1 };
    await finished();
    await s.store.db.put({ ...reset, ...keys.resetting });
    await expectRefused(reopen(), "busy");
    await s.store.db.transact([{ remove: keys.resetting }], "end");
    await reopen();
    await done(gm, "resume_game");
    await done(gm, "settings", { starts_at: rfc3339(s.now + DAY) });
    await expectRefused(finish(), "wrong_state");
  });

  it("is finished by one of two game masters, and a tag of the same moment counts or does not", async () => {
    const gil = await s.admin("Gil");
    const [one, other, hunt] = await Promise.all([
      finish({ result: "humans" }),
      finish({ result: "zombies" }, gil),
      tag(ada, s.now - SECOND),
    ]);
    expect([one.status, other.status].toSorted()).toEqual([200, 409]);
    const winner = [one, other].find(({ status }) => status === 200);
    expect((await gameOf(ada)).result).toBe(winner?.body.result);
    expect((await s.see(ada)).state).toBe(hunt.status === 200 ? "zombie" : "human");
    expect((await read(gm, "/admin/season")).finishes).toHaveLength(1);
    expect(await drift(s)).toEqual([]);
  });
});

describe("the preview of the end", () => {
  it("names what is open and what contradicts the result, and changes nothing", async () => {
    const hunted = await s.hunt(zed, ada);
    expect(hunted.status).toBe(200);
    await done(gm, "set_checkpoint", { name: "The gate" });
    const { mission_id } = await done(gm, "set_mission", missionAt(s.now, { title: "The run" }));
    const interaction_id = hunted.body.interaction.interaction_id;
    await s.must("POST /interactions/dispute/{url_id}", {
      as: ada,
      body: { interaction_id, reason: "I was inside." },
    });
    const before = await s.store.game();
    const awards = [{ title: "Best costume", alias: "ben", text: "A walking hedge." }];
    expect(await finished({ result: "zombies", dry_run: true, awards })).toMatchObject({
      warnings: ["humans_left", "checkpoint_open", "missions_open", "disputes_open"],
      checkpoint: "The gate",
      missions: [{ mission_id, title: "The run" }],
      disputes: 1,
      counts: { humans: 1, zombies: 2 },
      revealed: [],
      awards: { most_kills: { winners: ["Zed"] }, given: [] },
      given: [{ title: "Best costume", alias: "Ben", text: "A walking hedge." }],
    });
    expect(await s.store.game()).toEqual(before);
    expect((await read(gm, "/admin/season")).finish).toBeNull();
  });

  it("names hidden originals for a game master who does not play, and for nobody else", async () => {
    await done(gm, "settings", { hide_originals: true });
    const ova = await s.join("Ova");
    await s.outbreak(gm, ova);
    const dry = { ...GRACE, dry_run: true };
    expect(await finished(dry)).toMatchObject({ revealed: ["Ova"], counts: { humans: 2, zombies: 2 } });
    const gil = await s.admin("Gil");
    await done(gm, "revive_h", { alias: "Gil" });
    const { body } = await finish(dry, gil);
    expect(body).toMatchObject({ revealed: null, awards: null, counts: { humans: 4, zombies: 1 } });
    // Nothing is revealed by play's end: only by the end of the grace, and for good.
    await finished(GRACE);
    const stateOf = async () =>
      (await s.must("POST /get_player/{url_id}", { as: ada, body: { alias: "Ova" } })).body.state;
    await reopen();
    s.now += 30 * MINUTE;
    expect(await stateOf()).toBe("human");
    await finished(GRACE);
    expect(await stateOf()).toBe("human");
    s.now += 30 * MINUTE;
    expect(await stateOf()).toBe("zombie");
    await reopen();
    await done(gm, "resume_game");
    expect(await stateOf()).toBe("zombie");
  });
});

describe("a reopened season", () => {
  it("is paused since the end of play, keeps both entries, and can end otherwise", async () => {
    const awards = [{ title: "Best costume", alias: "Ada", text: "A walking hedge." }];
    const { starves_at } = await s.see(zed);
    const endedAt = s.now;
    await finished({ awards });
    expect((await read(ben, "/interactions/awards")).given).toEqual([
      { title: "Best costume", alias: "Ada", text: "A walking hedge." },
    ]);
    s.now += 3 * DAY;
    gm = await s.login(gm.alias, gm.password);
    await s.sweep();
    // Nobody starves after the end of play.
    expect((await gameOf(ada)).counts).toMatchObject({ zombies: 1, corpses: 0 });
    expect((await done(gm, "reopen_season", { reason: "One was missed." })).paused_since).toBe(
      rfc3339(endedAt),
    );
    const paused = { phase: "paused", result: null, ends_at: null, paused_since: rfc3339(endedAt) };
    expect(await gameOf(ada)).toMatchObject(paused);
    expect(await titlesOf(ada)).toEqual(["The season is not over yet", "The humans have won."]);
    await done(gm, "resume_game");
    // The time in between is no play time.
    expect((await s.see(zed)).starves_at).toBe(rfc3339(Date.parse(starves_at) + 3 * DAY));
    await s.sweep();
    expect((await s.see(zed)).state).toBe("zombie");
    await finished({ result: "both" });
    const { finish: end, finishes } = await read(gm, "/admin/season");
    expect(end).toMatchObject({ result: "both", is_final: true, given: [] });
    expect(finishes).toMatchObject([
      { result: "both", by: "Game Master", reopened_at: null },
      { result: "humans", by: "Game Master", reopened_by: "Game Master" },
    ]);
    expect(await logsOf(gm, "finish_season")).toHaveLength(2);
    expect(await logsOf(gm, "reopen_season")).toMatchObject([
      { details: { result: "humans", reason: "One was missed." } },
    ]);
  });

  it("announces no result that nobody was told", async () => {
    await finished(GRACE);
    s.now += MINUTE;
    expect((await reopen()).status).toBe(200);
    s.now += HOUR;
    await s.sweep();
    expect(await titlesOf(ada)).toEqual(["The season is not over yet", "Play is over"]);
    const feed = JSON.stringify((await read(ada, "/interactions")).interactions);
    expect(feed).toContain('"finish"');
    expect(feed).not.toContain("season_result");
  });

  it("ends at the same time when it is finished again without having been resumed", async () => {
    const endedAt = s.now;
    await finished({ result: "zombies" });
    s.now += HOUR;
    await reopen();
    expect(await finished({ result: "none" })).toMatchObject({ ended_at: rfc3339(endedAt) });
    // A survivor's life has lasted until then.
    const { longest_survivor } = await read(ada, "/interactions/awards");
    expect(longest_survivor.winners.toSorted()).toEqual(["Ada", "Ben"]);
    expect(longest_survivor.value).toBe(HOUR / SECOND);
  });
});

describe("the result", () => {
  it("is warned of if a late tag contradicts it", async () => {
    await s.hunt(zed, ben);
    const endedAt = s.now;
    await finished(GRACE);
    const warnings = async () => (await read(gm, "/admin/season")).finish.warnings;
    expect(await warnings()).toEqual([]);
    s.now += MINUTE;
    expect((await tag(ada, endedAt - MINUTE)).status).toBe(200);
    expect(await warnings()).toEqual(["no_humans_left"]);
  });

  it("may be a tie, or nobody's, and names no account that was deleted", async () => {
    const awards = [
      { title: "Best costume", alias: "Ada", text: "A walking hedge." },
      { title: "Best run", alias: "Ben", text: "Twice." },
    ];
    await s.hunt(zed, ada);
    await s.hunt(zed, ben);
    expect(await finished({ result: "none", awards })).toMatchObject({ result: "none", warnings: [] });
    await leave(ada);
    // Awards may be a minute old.
    s.now += 2 * MINUTE;
    const { given, last_human } = await read(ben, "/interactions/awards");
    expect(given).toMatchObject([{ alias: null }, { alias: "Ben" }]);
    expect(last_human.winners).toEqual(["Ben"]);
  });
});

describe("past seasons", () => {
  const reset = async (): Promise<Result> => {
    const { name } = await read(gm, "/game");
    return admin(gm, "reset_season", { name, password: gm.password });
  };
  const begin = async (): Promise<void> => {
    const { status, text } = await reset();
    expect(status, text).toBe(200);
  };
  const seasonsOf = async (as: TestPlayer): Promise<Body[]> =>
    (await s.must("GET /seasons", { as })).body.seasons;
  const recapFor = async (as: TestPlayer, id: unknown) =>
    (await s.must("GET /seasons/{season_id}", { as, id: String(id) })).body;
  const agree = (as: TestPlayer, named_in_past = true): Promise<Result> =>
    s.must("POST /edit_player/{url_id}", { as, body: { named_in_past } });

  it("have no result that was not announced: no new season begins before", async () => {
    await s.hunt(zed, ada);
    await finished(GRACE);
    await expectRefused(reset(), "wrong_state");
    const clock = () => s.now;
    const target = openTable();
    await expect(resetGame(target, { file: newFile(), force: false, clock })).rejects.toThrow(
      /not announced/,
    );
    expect((await gameOf(ada)).grace_until).not.toBeNull();
    s.now += 30 * MINUTE;
    await begin();
    expect((await seasonsOf(ada))[0]).toMatchObject({ result: "humans" });
  });

  it("are for anybody while the board is public, with the names of those alone who agreed", async () => {
    await s.hunt(zed, ada);
    await agree(zed);
    await finished(GRACE);
    const { season_id } = (await read(gm, "/admin/season")).finish;
    const list = () => s.call("GET /seasons", {});
    const open = (id = season_id) => s.call("GET /seasons/{season_id}", { id });
    await expectRefused(list(), "token_rejected");
    await expectRefused(open(), "token_rejected");
    await admin(gm, "settings", { public_board: true });
    // Nothing is known of the present one before its result is.
    expect((await list()).body).toEqual({ seasons: [] });
    await expectRefused(open(), "not_found");
    s.now += 30 * MINUTE;
    const { body } = await open();
    expect(body).toEqual({ ...(await recapFor(gm, season_id)), own: null });
    expect(body.tree.map(({ alias }: Body) => alias)).toEqual(["Zed", null]);
    await begin();
    expect((await list()).body.seasons).toMatchObject([{ season_id, result: "humans", own: null }]);
    await agree(zed, false);
    expect((await open()).text).not.toContain("Zed");
    await expectRefused(open("nothing"), "not_found");
    const headers = { authorization: `Bearer hvz1.${ada.id}.${"A".repeat(43)}` };
    await expectRefused(s.call("GET /seasons", { headers }), "token_rejected");
    await admin(gm, "settings", { public_board: false });
    await expectRefused(list(), "token_rejected");
    await expectRefused(open(), "token_rejected");
  });

  it.each<[string, () => Promise<Result>, () => Promise<Result>, "busy" | "wrong_state"]>([
    ["a new season that has been begun", () => finish(GRACE), reset, "busy"],
    ["a result that has been declared", reset, () => finish(GRACE), "wrong_state"],
  ])("begin by one decision: %s between reading and writing counts", async (_, decision, other, code) => {
    await s.hunt(zed, ada);
    await admin(gm, "pause_game");
    s.now += SECOND;
    s.beforeTransaction(async () => {
      // The reset stops after its first transaction.
      s.timeLeft = () => 0;
      await other();
      s.timeLeft = undefined;
    });
    await expectRefused(decision(), code);
    await s.sweep();
    expect(await seasonsOf(ada)).toHaveLength(code === "busy" ? 1 : 0);
    expect((await gameOf(ada)).grace_until === null).toBe(code === "busy");
    expect(await drift(s)).toEqual([]);
  });

  it("begin by the command only with an archive that has the result", async () => {
    await s.hunt(zed, ada);
    await admin(gm, "pause_game");
    const options = { file: newFile(), force: false, clock: () => s.now };
    let declared: Promise<void> | undefined;
    const onArchived = (): void => {
      declared ??= finish().then(() => {});
    };
    const late = { ...openTable(), db: beforeCalls(openTable().db, () => () => declared) };
    await expect(resetGame(late, { ...options, onArchived })).rejects.toThrow(/archive/);
    expect(await gameOf(ada)).toMatchObject({ result: "humans" });
    const { season_id } = (await read(gm, "/admin/season")).finish;
    await resetGame(openTable(), { ...options, file: newFile() });
    expect((await seasonsOf(ada))[0]).toMatchObject({ season_id, result: "humans" });
  });

  it("keep result, numbers, tree, board and awards, name those who agreed, and say what each was for oneself", async () => {
    expect(await seasonsOf(ada)).toEqual([]);
    await s.hunt(zed, ada);
    await agree(zed);
    await finished();
    await recapFor(ben, (await read(gm, "/admin/season")).finish.season_id);
    await reopen();
    await finished({
      result: "both",
      note: "A tie.",
      awards: [{ title: "Best costume", alias: "Ada", text: "A walking hedge." }],
    });
    const { season_id } = (await read(gm, "/admin/season")).finish;
    const before = await recapFor(ben, season_id);
    expect(before).toMatchObject({
      result: "both",
      note: "A tie.",
      counts: { humans: 1, zombies: 2, spectators: 1 },
      own: { state: "human", kills: 0, infected_at: null },
      tree: [
        { alias: "Zed", parent: null, kills: 1 },
        { alias: null, parent: 0, kills: 0 },
      ],
      awards: {
        given: [{ title: "Best costume", alias: null }],
        most_kills: { winners: ["Zed"], count: 1 },
        last_human: { winners: ["Ben"], count: 1 },
      },
    });
    expect(before.board[0]).toMatchObject({ alias: "Zed", kills: 1, state: "zombie" });
    expect(before.curve.length).toBeGreaterThan(0);
    // An index may lag behind the last tags; the recap that stays does not.
    const { db } = s.store;
    const query = db.query.bind(db);
    const lagging = vi.spyOn(db, "query").mockImplementation(async (range, ...rest) => {
      const page = await query(range, ...rest);
      const [, ...earlier] = page.items.map((item) => ({ ...item, kills: 0 }));
      return "index" in range ? { ...page, items: earlier } : page;
    });
    await begin();
    expect(lagging).toHaveBeenCalled();
    lagging.mockRestore();
    // The page of the recap is the same after the season as before.
    expect(await recapFor(ben, season_id)).toEqual(before);
    expect((await seasonsOf(ada))[0]).toMatchObject({
      ...{ season_id, result: "both", own: { state: "zombie", infected_at: expect.any(String) } },
    });
    await expectRefused(s.call("GET /seasons/{season_id}", { as: ada, id: "nothing" }), "not_found");
    // Everybody sees their own name, and what somebody decides later counts, for every season.
    expect((await recapFor(ada, season_id)).tree[1].alias).toBe("Ada");
    await agree(ada);
    await agree(zed, false);
    expect((await recapFor(ben, season_id)).tree.map(({ alias }: Body) => alias)).toEqual([null, "Ada"]);
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { alias: "Ada Two" } });
    expect((await recapFor(ben, season_id)).tree[1].alias).toBe("Ada Two");
    await leave(ada);
    expect((await recapFor(ben, season_id)).tree[1].alias).toBeNull();
    expect(JSON.stringify(await s.store.db.scan(1_000))).not.toContain("Ada Two");
    // A season without a result has a recap, too; one in which nobody became a zombie has none.
    await admin(gm, "pause_game");
    await begin();
    await s.outbreak(gm, ben);
    await done(gm, "cure", { alias: "Ben" });
    await admin(gm, "pause_game");
    await begin();
    const past = await seasonsOf(ben);
    expect(past).toMatchObject([
      { result: null, own: { state: "human", infected_at: null } },
      { result: "both", own: { state: "human" } },
    ]);
    expect((await recapFor(ben, past[0]?.season_id)).awards.given).toEqual([]);
    const isPast = ({ pk }: StoredItem): boolean => /^SEASONS?(#|$)|^PAST_NAMES$/.test(pk);
    const file = newFile();
    await exportGame(openTable(), { file, force: false, at: rfc3339(s.now), withSessions: false });
    const there = await emptyTable();
    await importGame(there, { file, resume: false, at: rfc3339(s.now) });
    const carried = (await everything(there)).filter(isPast);
    expect(carried).toEqual((await everything(openTable())).filter(isPast));
    expect(carried.length).toBeGreaterThan(30);
  });
});
