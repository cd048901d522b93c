/** Codes that players redeem: who may, when, what they do, and what nobody learns of them (decisions 121 and 122). */

import { describe, expect, it } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { readCode } from "../../lib/domain/rewards/rewardCode.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { CRATES } from "../support/constants.ts";
import { requireConsistency } from "../support/recount.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, idOf, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";
import { fill, scan } from "../support/table.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PERIOD = 2 * DAY;
const s = testEnvironment({ at: START });
requireConsistency(s);
const { done, admin, read, leave, logsOf, pushed } = shortRequests(s);

const BADGE = { name: "Medic", symbol: "✚" };

const redeem = (
  as: TestPlayer,
  code: string,
  more: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<Result> => s.call("POST /player/redeem/{url_id}", { as, body: { code, ...more }, ...options });

const make = async (gm: TestPlayer, effect: object, more: object = {}) => {
  const body = { ...CRATES, effect, ...more };
  const { batch_id, codes } = await done(gm, "create_codes", body);
  const [code = "", ...others]: string[] = codes.map((one: { code: string }) => one.code);
  return { batch_id, code, others };
};

const report = (as: TestPlayer) => s.must("POST /player/report_tagged/{url_id}", { as, body: {} });
const stateOf = async (as: TestPlayer): Promise<string> => (await s.see(as)).state;
const listed = (gm: TestPlayer, batch_id: string) => read(gm, "/admin/codes", { batch_id });
const undo = (gm: TestPlayer, redemption: Result, more: object = {}) =>
  admin(gm, "undo_redemption", { redemption_id: redemption.body.redemption_id, ...more });

/** A game in which Zed is an original zombie who has tagged Yan, while Ann and Bob are human. */
const aGame = playedOnce(s, async () => {
  const [gm, zed, ann, bob, yan] = await s.game("Zed", "Ann", "Bob", "Yan");
  await s.hunt(zed, yan);
  return { gm, zed, ann, bob, yan };
});

describe("a code", () => {
  it("is accepted in lower case, with spaces and dashes, and one with a typing error is not counted as a guess", async () => {
    const { gm, ann } = await aGame();
    const { code } = await make(gm, { points: 1 });
    expect(code).toMatch(/^[2-9A-HJKMNP-Z]{10}$/);
    const typed = [...code];
    const mistyped = typed.map((_, at) => typed.with(at, typed[at] === "7" ? "8" : "7").join(""));
    const swapped = typed.slice(1).map((letter, at) =>
      typed
        .with(at, letter)
        .with(at + 1, typed[at] ?? "")
        .join(""),
    );
    for (const wrong of [...mistyped, ...swapped, code.slice(1), `${code}2`, "TAGC2345"]) {
      if (wrong === code) continue;
      expect(readCode(wrong)?.kind).not.toBe("reward");
      await expectRefused(redeem(ann, wrong), "code_not_valid");
    }
    const spaced = ` ${code.slice(0, 5).toLowerCase()} - ${code.slice(5)}`;
    expect((await redeem(ann, spaced)).body).toMatchObject({ repeated: false, did: { points: 1 } });
  });

  it("is of one of at most 200 batches", async () => {
    const gm = await s.admin("Grandmaster");
    const { batch_id } = await make(gm, { points: 1 });
    const batch = await s.store.db.get(keys.codeBatch(batch_id));
    const others = Array.from({ length: 198 }, (_, n) => ({ ...batch, ...keys.codeBatch(`${n}`) }));
    await fill(s.place(), others);
    await make(gm, { points: 1 });
    await expectRefused(admin(gm, "create_codes", CRATES), "wrong_state");
  });

  it("has the same number after its making was interrupted", async () => {
    const { gm, ann } = await aGame();
    const body = { ...CRATES, n: 120, effect: { points: 1 } };
    let commits = 0;
    s.beforeCall = (call) => {
      if (call === "transact") commits += 1;
      if (commits > 2) throw new Error("killed");
    };
    expect((await admin(gm, "create_codes", body)).status).toBeGreaterThanOrEqual(500);
    s.beforeCall = undefined;
    const { batch_id, codes } = await done(gm, "create_codes", body);
    expect((await redeem(ann, codes[119].code)).status).toBe(200);
    expect((await listed(gm, batch_id)).redemptions).toMatchObject([{ number: 120 }]);
  });

  it("works once for a player, whose repetition is told what it did", async () => {
    const { gm, ann } = await aGame();
    const { code } = await make(gm, { points: 2, badge: BADGE, message: "Look up." }, { uses: 9 });
    const first = await redeem(ann, code, {}, { key: "a-key-of-ann" });
    expect(first.body).toMatchObject({
      repeated: false,
      did: { fed: false, cured: false, points: 2, badge: BADGE, message: "Look up." },
      player: { points: 2 },
    });
    expect((await s.see(ann)).badges).toEqual([BADGE]);
    expect((await redeem(ann, code, {}, { key: "a-key-of-ann" })).text).toBe(first.text);
    const { body } = await redeem(ann, code);
    expect(body).toMatchObject({ ...first.body, repeated: true });
    expect(body.player.points).toBe(2);
    // Also when the batch is over.
    await done(gm, "revoke_codes", { batch_id: (await read(gm, "/admin/codes")).batches[0].batch_id });
    expect((await redeem(ann, code)).body.repeated).toBe(true);
  });

  it("has so many uses, and a batch so many for each player", async () => {
    const { gm, ann, bob, yan } = await aGame();
    const { code, others } = await make(gm, { points: 1 }, { n: 3, uses: 2, uses_per_player: 2 });
    for (const who of [ann, bob]) expect((await redeem(who, code)).status).toBe(200);
    await expectRefused(redeem(yan, code), "code_not_valid");
    expect((await redeem(ann, others[0] ?? "")).status).toBe(200);
    await expectRefused(redeem(ann, others[1] ?? ""), "code_not_valid");
  });

  it("is valid from the first millisecond of its time until just before its end", async () => {
    const { gm, ann, bob } = await aGame();
    const [from, until] = [START + HOUR, START + 2 * HOUR];
    const { code } = await make(
      gm,
      { points: 1 },
      { uses: 9, valid_from: rfc3339(from), valid_until: rfc3339(until) },
    );
    s.now = from - 1;
    await expectRefused(redeem(ann, code), "code_not_valid");
    s.now = until;
    await expectRefused(redeem(ann, code), "code_not_valid");
    await expectRefused(redeem(ann, code, { redeemed_at: rfc3339(from - 1) }), "code_not_valid");
    await expectRefused(redeem(ann, code, { redeemed_at: rfc3339(until) }), "code_not_valid");
    const at = rfc3339(until - 1);
    expect((await redeem(ann, code, { redeemed_at: at })).body).toMatchObject({ at });
    expect((await redeem(bob, code, { redeemed_at: rfc3339(from) })).status).toBe(200);
  });

  it("is refused in the same words whatever a guesser could learn from, and a game master's is told", async () => {
    const { gm, ann, bob, yan } = await aGame();
    const other = await make(gm, { points: 1 }, { audience: "zombies" });
    const used = await make(gm, { points: 1 });
    await redeem(bob, used.code);
    const expired = await make(gm, { points: 1 }, { valid_until: rfc3339(START + 1) });
    const revoked = await make(gm, { points: 1 });
    await done(gm, "revoke_codes", { batch_id: revoked.batch_id });
    const useless = await make(gm, { cure: true });
    s.now = START + 2;
    const codes = ["2222222222", other.code, used.code, expired.code, revoked.code, useless.code];
    const answers = [];
    for (const code of codes) {
      const { status, text, headers } = await redeem(ann, code);
      answers.push(JSON.stringify([status, text, Object.keys(headers)]).replaceAll(/[0-9a-f-]{36}/g, ""));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("code_not_valid");
    expect((await redeem(yan, other.code)).status).toBe(200);
  });

  it("that a game master has made or read is not for that game master", async () => {
    const [gm, other] = [await s.admin("Playing", true), await s.admin("Other", true)];
    const { batch_id, code } = await make(gm, { points: 1 }, { uses: 9 });
    await expectRefused(redeem(gm, code), "wrong_state");
    const ann = await s.join("Ann");
    expect((await redeem(ann, code)).status).toBe(200);
    const { batches, codes } = await read(other, "/admin/codes", { batch_id, sheet: 1 });
    expect([batches[0].label, codes]).toEqual(["Crates", [{ code, number: 1, used: 1, revoked: false }]]);
    await expectRefused(redeem(other, code), "wrong_state");
    const [{ actor, details }] = await logsOf(gm, "codes");
    expect([actor, details]).toEqual(["Other", { batch_id, sheet: true }]);
  });

  it("is nowhere in the table but on its sheet, which no statement reads", async () => {
    const { gm, ann } = await aGame();
    const { code } = await make(gm, { points: 1 });
    await redeem(ann, code);
    const holding = (await scan(s)).filter((item) => JSON.stringify(item).includes(code));
    expect(holding.map(({ sk }) => sk)).toEqual(["SHEET"]);
    expect(holding.every(({ pk }) => String(pk).startsWith("SECRET#"))).toBe(true);
    const moderator = await s.moderator("Mo");
    for (const as of [ann, moderator])
      expect((await s.call("GET /admin/codes/{url_id}", { as })).status).toBe(401);
  });
});

it("twenty players at the last use: one gets it; and one player gets one of two codes of a batch", async () => {
  const { gm } = await aGame();
  const last = await make(gm, { points: 1 });
  const crowd = await s.joinAll(...Array.from({ length: 20 }, (_, n) => `Player ${n}`));
  const all = await Promise.all(crowd.map((one) => redeem(one, last.code)));
  const outcomes = Map.groupBy(all.map(outcomeOf), (one) => JSON.stringify(one));
  expect([...outcomes].map(([outcome, { length }]) => [JSON.parse(outcome), length]).toSorted()).toEqual([
    [[200, undefined].map((one) => one ?? null), 1],
    [[404, "code_not_valid"], 19],
  ]);
  const { redeemed, codes } = await read(gm, "/admin/codes", { batch_id: last.batch_id, sheet: 1 });
  expect([redeemed, codes[0].used]).toEqual([1, 1]);
  const pair = await make(gm, { points: 5 }, { n: 2 });
  const [one] = crowd;
  if (one === undefined) throw new Error("nobody is left");
  const both = await Promise.all([pair.code, pair.others[0] ?? ""].map((code) => redeem(one, code)));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});

describe("nobody redeems", () => {
  it("before the start, after the end, in a pause, and out of play", async () => {
    const { gm, ann, bob, zed } = await aGame();
    const { code } = await make(gm, { points: 1 }, { uses: 9 });
    await done(gm, "pause_game");
    await expectRefused(redeem(ann, code), "paused");
    await done(gm, "resume_game");
    await done(gm, "corpsify", { alias: "Ann" });
    await done(gm, "make_spectator", { alias: "Bob" });
    await done(gm, "corpsify", { alias: "Zed" });
    for (const who of [ann, bob, zed, gm]) await expectRefused(redeem(who, code), "wrong_state");
    const cid = await s.join("Cid");
    await done(gm, "settings", { starts_at: rfc3339(START + HOUR), ends_at: rfc3339(START + 2 * HOUR) });
    await expectRefused(redeem(cid, code), "not_running");
    s.now = START + HOUR;
    expect((await redeem(cid, code)).status).toBe(200);
    const dora = await s.join("Dora");
    s.now = START + 2 * HOUR;
    await expectRefused(redeem(dora, code), "not_running");
  });

  it("a code of a starved zombie, unless it was entered before, which undoes the starvation", async () => {
    const { gm, yan } = await aGame();
    const food = await make(gm, { feed_seconds: 3_600 }, { uses: 9 });
    const died = START + PERIOD;
    s.now = died + MINUTE;
    Object.assign(yan, { token: (await s.login("Yan", yan.password)).token });
    await s.sweep();
    await expectRefused(redeem(yan, food.code), "wrong_state");
    await expectRefused(redeem(yan, food.code, { redeemed_at: rfc3339(died) }), "wrong_state");
    const early = await redeem(yan, food.code, { redeemed_at: rfc3339(died - SECOND) });
    expect(early.body).toMatchObject({
      did: { fed: true },
      player: { state: "zombie", starves_at: rfc3339(died + HOUR) },
    });
    expect((await s.sweep()).starved).toBe(0);
  });
});

describe("an antidote", () => {
  it("makes a zombie human with a new tag code, once a season, in tree and feed, and no original", async () => {
    const { gm, zed, ann, yan } = await aGame();
    const { code, others } = await make(
      gm,
      { cure: true },
      { n: 3, uses: 9, uses_per_player: 9, audience: "zombies" },
    );
    await expectRefused(redeem(zed, code), "code_not_valid");
    const { body } = await redeem(yan, code);
    expect(body).toMatchObject({ did: { cured: true }, player: { state: "human" } });
    expect(body.player.tag_code).not.toBe(yan.code);
    const { interactions } = await read(ann, "/interactions", { kind: "cure" });
    expect(interactions).toMatchObject([{ kind: "cure", actor: null, target: "Yan" }]);
    expect(interactions[0].details).toEqual({ reward: { source: "code" } });
    const { roots } = await read(ann, "/interactions/tree");
    expect(roots[0].children).toMatchObject([{ alias: "Yan", state: "human" }]);
    await s.hunt(zed, body.player.tag_code);
    await expectRefused(redeem(yan, others[0] ?? ""), "code_not_valid");
    await done(gm, "settings", { originals_cured: true });
    expect((await redeem(zed, code)).body.did.cured).toBe(true);
    expect(await pushed()).not.toContain(`cured ${yan.id}`);
  });

  it("that was entered before the zombie starved, or was killed, is judged when it was entered", async () => {
    const { gm, zed, ann, yan } = await aGame();
    const { code } = await make(gm, { cure: true }, { uses: 9, uses_per_player: 9 });
    const died = START + PERIOD;
    await s.hunt(zed, ann);
    s.now = died + MINUTE;
    for (const who of [gm, yan, ann])
      Object.assign(who, { token: (await s.login(who.alias, who.password)).token });
    await s.sweep();
    const at = rfc3339(died - SECOND);
    const { body } = await redeem(yan, code, { redeemed_at: at });
    expect(body).toMatchObject({ did: { cured: true }, player: { state: "human" }, at });
    const { points } = await read(gm, "/interactions/stats");
    expect(points.at(-1)).toMatchObject({ corpses: 2 });
    await done(gm, "revive_h", { alias: "Ann" });
    // She was a zombie then, but in a life that a game master has ended.
    await expectRefused(redeem(ann, code, { redeemed_at: at }), "code_not_valid");
  });
});

describe("a side that has changed since", () => {
  it("is the one at the time of entry: a human who was tagged, and a zombie who was not yet", async () => {
    const { gm, zed, ann } = await aGame();
    const humans = await make(gm, { points: 1 }, { audience: "humans", uses: 9 });
    const zombies = await make(gm, { points: 10 }, { audience: "zombies", uses: 9 });
    s.now = START + HOUR;
    await s.hunt(zed, ann);
    s.now = START + 2 * HOUR;
    const before = { redeemed_at: rfc3339(START + MINUTE) };
    await expectRefused(redeem(ann, humans.code), "code_not_valid");
    await expectRefused(redeem(ann, zombies.code, before), "code_not_valid");
    expect((await redeem(ann, humans.code, before)).body.player).toMatchObject({
      state: "zombie",
      points: 1,
    });
    expect((await redeem(ann, zombies.code)).body.player.points).toBe(11);
  });

  it("is none for somebody who was killed after a tag of theirs was voided", async () => {
    const { gm, yan } = await aGame();
    const { code } = await make(gm, { points: 1 }, { audience: "all" });
    const { interactions } = await read(gm, "/interactions", { kind: "hunt" });
    s.now += MINUTE;
    await done(gm, "void_hunt", { interaction_id: interactions[0].interaction_id, reason: "No touch." });
    s.now += MINUTE;
    await done(gm, "corpsify", { alias: "Yan" });
    s.now += MINUTE;
    await done(gm, "revive_h", { alias: "Yan" });
    s.now += MINUTE;
    const dead = { redeemed_at: rfc3339(s.now - MINUTE - SECOND) };
    await expectRefused(redeem(yan, code, dead), "wrong_state");
    const alive = { redeemed_at: rfc3339(s.now - 2 * MINUTE - SECOND) };
    expect((await redeem(yan, code, alive)).body).toMatchObject({ did: { points: 1 } });
  });
});

describe("a hidden original zombie", () => {
  const hiding = async () => {
    const gm = await s.admin();
    await done(gm, "settings", { hide_originals: true, originals_cured: true });
    const [zed, ann] = await s.joinAll("Zed", "Ann");
    await s.outbreak(gm, zed);
    return { gm, zed, ann };
  };
  const seen = async (as: TestPlayer) => {
    const feed = (await read(as, "/interactions")).interactions;
    const board = (await read(as, "/interactions/leaderboard", { board: "points" })).players;
    const profile = await s.must("POST /get_player/{url_id}", { as, body: { alias: "Zed" } });
    return JSON.stringify([feed, board, (await read(as, "/users")).users, profile.body]);
  };

  it("passes for a human with humans' codes and those for all, and hides what zombies' codes gave until the reveal, also when it is undone", async () => {
    const { gm, zed, ann } = await hiding();
    const humans = await make(gm, { points: 1 }, { audience: "humans" });
    const all = await make(gm, { points: 2 }, { audience: "all" });
    const more = { audience: "zombies", n: 2, uses_per_player: 2 };
    const zombies = await make(gm, { points: 10, badge: BADGE }, more);
    for (const { code } of [humans, all]) await redeem(zed, code);
    const before = await seen(ann);
    expect(before).toContain('"points":3');
    await undo(gm, await redeem(zed, zombies.others[0] ?? ""));
    expect(await seen(ann)).toBe(before);
    await redeem(zed, zombies.code);
    expect(await s.see(zed)).toMatchObject({ points: 13, badges: [BADGE] });
    expect(await seen(ann)).toBe(before);
    await done(gm, "settings", { hide_originals: false });
    const { players } = await read(ann, "/interactions/leaderboard", { board: "points" });
    expect(players).toMatchObject([{ rank: 1, alias: "Zed", points: 13 }]);
    const { body } = await s.must("POST /get_player/{url_id}", { as: ann, body: { alias: "Zed" } });
    expect(body).toMatchObject({ points: 13, badges: [BADGE] });
  });

  it("stays hidden when they were cured before a code arrives that they entered as a zombie, and when that is undone", async () => {
    const { gm, zed, ann } = await hiding();
    const { code } = await make(gm, { points: 10, badge: BADGE }, { audience: "zombies" });
    s.now = START + HOUR;
    await done(gm, "cure", { alias: "Zed" });
    const before = await seen(ann);
    const late = await redeem(zed, code, { redeemed_at: rfc3339(s.now - MINUTE) });
    expect(late.body.player).toMatchObject({ state: "human", points: 10 });
    expect(await seen(ann)).toBe(before);
    await undo(gm, late);
    expect([(await s.see(zed)).points, await seen(ann)]).toEqual([0, before]);
  });

  it("stays hidden when an antidote cures them, and when that is undone", async () => {
    const { gm, zed, ann } = await hiding();
    const { code } = await make(gm, { cure: true }, { audience: "zombies" });
    s.now = START + MINUTE;
    const before = await seen(ann);
    const cured = await redeem(zed, code);
    expect(cured.body.player.state).toBe("human");
    expect(await seen(ann)).toBe(before);
    expect((await undo(gm, cured)).body.effects).toMatchObject([{ effect: "zombie_again", state: "zombie" }]);
    expect([await stateOf(zed), await seen(ann)]).toEqual(["zombie", before]);
  });
});

describe("undoing a redemption", () => {
  it("takes back points and badge, and gives the use back, also to the same player", async () => {
    const { gm, ann, bob } = await aGame();
    const { batch_id, code } = await make(gm, { points: 2, badge: BADGE });
    const first = await redeem(ann, code);
    const preview = await undo(gm, first, { dry_run: true });
    expect(preview.body).toMatchObject({
      ...{ dry_run: true, interaction: null },
      effects: [
        { alias: "Ann", effect: "points_taken_back", points: 0 },
        { alias: "Ann", effect: "badge_taken_back" },
      ],
    });
    expect((await s.see(ann)).points).toBe(2);
    const { body } = await undo(gm, first, { reason: "You photographed it." });
    expect(body.effects).toEqual(preview.body.effects);
    expect(await s.see(ann)).toMatchObject({ points: 0, badges: [] });
    await expectRefused(undo(gm, first), "wrong_state");
    const { redeemed, redemptions } = await listed(gm, batch_id);
    expect([redeemed, redemptions[0].undone_at]).toEqual([0, rfc3339(START)]);
    // Their history says so, and nobody else's.
    const [voided] = (await read(ann, "/interactions", { player: "me" })).interactions;
    expect(voided).toMatchObject({
      kind: "void",
      details: { reason: "You photographed it.", reward: { source: "code" } },
    });
    expect((await read(bob, "/interactions", { player: "Ann" })).interactions).toEqual([]);
    expect((await pushed()).filter((one) => one.includes("taken_back"))).toEqual([
      `tag_taken_back ${ann.id}`,
    ]);
    const { notifications } = await read(ann, "/notifications/inbox");
    expect(notifications[0]).toMatchObject({ title: "Something you got was taken back", kind: "cured" });
    expect((await redeem(ann, code)).body).toMatchObject({ repeated: false, player: { points: 2 } });
  });

  it("takes back an antidote while they are still that human, and the antidote of the season with it", async () => {
    const { gm, zed, yan } = await aGame();
    const { code } = await make(gm, { cure: true }, { uses: 9 });
    s.now = START + HOUR;
    const first = await redeem(yan, code);
    s.now = START + 3 * HOUR;
    await undo(gm, first);
    const left = PERIOD - HOUR;
    expect(await s.see(yan)).toMatchObject({
      state: "zombie",
      infected_by: "Zed",
      starves_at: rfc3339(s.now + left),
    });
    const { points } = await read(gm, "/interactions/stats");
    expect(points.at(-1)).toMatchObject({ humans: 2, zombies: 2 });
    const again = await redeem(yan, code);
    expect(again.body.did.cured).toBe(true);
    s.now += MINUTE;
    await s.hunt(zed, again.body.player.tag_code);
    expect((await undo(gm, again)).body.effects).toMatchObject([{ effect: "unchanged", state: "zombie" }]);
  });

  for (const isUndoLast of [true, false])
    it(`knows of a tag that is voided, and of one that gets its hunter, ${isUndoLast ? "while it is decided" : "while those are"}`, async () => {
      const { gm, zed, ann, bob } = await aGame();
      const { code } = await make(gm, { cure: true }, { uses: 9 });
      const tag = idOf(await report(ann));
      await report(bob);
      for (const [who, change] of [
        [
          ann,
          () =>
            isUndoLast
              ? admin(gm, "void_hunt", { interaction_id: tag, reason: "No." })
              : admin(gm, "void_hunts", { interaction_ids: [tag] }),
        ],
        [bob, () => s.hunt(zed, bob)],
      ] as const) {
        const cured = await redeem(who, code);
        const both = [change, () => undo(gm, cured)] as const;
        const [first, last] = isUndoLast ? both : both.toReversed();
        s.beforeTransaction(first ?? change);
        expect((await last?.())?.status).toBe(200);
      }
      expect(await stateOf(ann)).toBe("human");
      expect(await s.see(bob)).toMatchObject({ state: "zombie", infected_by: "Zed" });
    });

  it("is for redemptions of players who are there", async () => {
    const { gm, ann, zed } = await aGame();
    const { code } = await make(gm, { points: 1 }, { uses: 9 });
    const redeemed = await redeem(ann, code);
    const { interactions } = await read(zed, "/interactions", { kind: "hunt" });
    const [{ interaction_id: hunt }] = interactions;
    await expectRefused(admin(gm, "undo_redemption", { redemption_id: hunt }), "not_found");
    await leave(ann);
    await expectRefused(undo(gm, redeemed), "wrong_state");
    const { batch_id } = (await read(gm, "/admin/codes")).batches[0];
    expect((await listed(gm, batch_id)).redemptions).toMatchObject([{ alias: null, player_ref: null }]);
  });
});

it("revoked codes give nothing any more: one, or all of a batch; what was redeemed stays", async () => {
  const { gm, ann, bob } = await aGame();
  const { batch_id, code, others } = await make(gm, { points: 1 }, { n: 3, uses: 2, uses_per_player: 3 });
  await redeem(ann, code);
  const one = await done(gm, "revoke_codes", { batch_id, code: code.toLowerCase() });
  expect([one.revoked, one.batch.revoked]).toEqual([1, 1]);
  await expectRefused(redeem(bob, code), "code_not_valid");
  expect((await redeem(bob, others[0] ?? "")).status).toBe(200);
  expect((await done(gm, "revoke_codes", { batch_id })).revoked).toBe(2);
  for (const rest of others) await expectRefused(redeem(ann, rest), "code_not_valid");
  expect((await done(gm, "revoke_codes", { batch_id })).revoked).toBe(0);
  expect((await s.see(ann)).points).toBe(1);
  await expectRefused(admin(gm, "revoke_codes", { batch_id, code: "2222222222" }), "not_found");
});

it("wrong codes are limited for a player, together with tag codes, and for an address, and released with time", async () => {
  const { gm, ann, zed } = await aGame();
  const { code } = await make(gm, { points: 1 }, { uses: 99 });
  for (let n = 0; n < 10; n += 1) await expectRefused(redeem(zed, "2222222222"), "code_not_valid");
  await expectRefused(redeem(zed, code), "too_many_attempts");
  await expectRefused(s.hunt(zed, ann), "too_many_attempts");
  s.now = START + 10 * MINUTE;
  expect((await redeem(zed, code)).status).toBe(200);
  const from = { from: "203.0.113.9" };
  const redemptions = { ...THROTTLES.redemptions, burst: 20 };
  Object.assign(s.services, { throttles: { ...THROTTLES, redemptions } });
  const [one, other, last] = await s.joinAll("Cid", "Dan", "Eve");
  for (const guesser of [one, other])
    for (let n = 0; n < 10; n += 1)
      await expectRefused(redeem(guesser, "2222222222", {}, from), "code_not_valid");
  const blocked = await redeem(last, code, {}, from);
  expect([...outcomeOf(blocked), blocked.headers["retry-after"]]).toEqual([429, "too_many_attempts", "6"]);
  expect((await redeem(last, code, {}, { from: "203.0.113.10" })).status).toBe(200);
  s.now += 6 * SECOND;
  expect((await redeem(ann, code, {}, from)).status).toBe(200);
});

it("points count on the board and for an award", async () => {
  const { gm, ann, bob } = await aGame();
  const { code } = await make(gm, { points: 3 }, { uses: 9 });
  const small = await make(gm, { points: 1 }, { uses: 9 });
  for (const who of [ann, bob]) await redeem(who, code);
  await redeem(bob, small.code);
  const { players, rank } = await read(ann, "/interactions/leaderboard", { board: "points", around: "me" });
  expect(players.map((one: Result["body"]) => [one.rank, one.alias, one.points])).toEqual([
    [1, "Bob", 4],
    [2, "Ann", 3],
  ]);
  expect(rank).toBe(2);
  expect((await read(gm, "/interactions/awards")).most_points).toMatchObject({ value: 4, winners: ["Bob"] });
});
