/** The times that hunter and prey report of one tag: neither decides for the other (decision 91). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { drift } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, idOf, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PERIOD = 2 * DAY;
const s = testEnvironment({ at: START });
const { admin, done, read } = shortRequests(s);

const optional = (name: string, at: number | null) => (at === null ? {} : { [name]: rfc3339(at) });
const reportTagged = (as: TestPlayer, at: number | null) =>
  s.must("POST /player/report_tagged/{url_id}", { as, body: optional("tagged_at", at) });

describe("a tag that its prey has reported", () => {
  it("gives its hunter the time of the hunter's own report for kill and meal, the first tag and the order of kills", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const [yan] = await s.joinAll("Yan");
    await s.outbreak(gm, yan);
    s.now += 5 * HOUR;
    // Ann names a time that would make Zed the first, or if it were too early to be true, nobody.
    await reportTagged(ann, s.now - 5 * HOUR);
    const reported = s.now;
    // More than the report window after the time that Ann names.
    s.now += 2 * HOUR;
    expect((await s.hunt(yan, bob, optional("hunted_at", reported - 3 * HOUR))).status).toBe(200);
    expect((await s.hunt(zed, ann, optional("hunted_at", reported - HOUR))).status).toBe(200);
    const { first_tag } = await read(gm, "/interactions/awards");
    expect(first_tag).toMatchObject({ winners: ["Yan"], at: rfc3339(reported - 3 * HOUR) });
    const { players } = await read(gm, "/interactions/leaderboard");
    const ownTime = { last_kill_at: rfc3339(reported - HOUR) };
    expect(players).toMatchObject([{ alias: "Yan" }, { alias: "Zed", ...ownTime }, {}, {}]);
    expect(await s.see(zed)).toMatchObject({ kills: 1, starves_at: rfc3339(reported - HOUR + PERIOD) });
    // The infection is later than the hunter's, and the prey's own hunger counts from the first report.
    const own = { infected_at: rfc3339(START + 1), starves_at: rfc3339(reported + PERIOD) };
    expect(await s.see(ann)).toMatchObject(own);
    // Both sides and those who run the game see the hunter's time; others do not.
    const seen = async (as: TestPlayer) =>
      (await read(as, "/interactions", { player: "Ann", kind: "hunt" })).interactions[0].details.hunted_at;
    const times = await Promise.all([gm, zed, ann, bob].map(seen));
    expect(times).toEqual([...Array(3).fill(rfc3339(reported - HOUR)), undefined]);
  });

  it("feeds a named hunter who starved before the prey reported it, within the report window, until then", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await s.outbreak(gm, await s.join("Yan"));
    const { starves_at } = await s.see(zed);
    s.now = Date.parse(starves_at) + 5 * HOUR;
    const late = await s.join("Late");
    const again = await s.login(gm.alias, gm.password);
    const reported = await reportTagged(await s.login("Ann", ann.password), null);
    const named = await done(again, "name_hunter", { interaction_id: idOf(reported), alias: "Zed" });
    // The tag happened when Zed starved at the latest.
    const fed = { last_fed_at: starves_at, starves_at: rfc3339(Date.parse(starves_at) + PERIOD) };
    expect(named.player).toMatchObject({ state: "zombie", kills: 1, ...fed });
    expect(named.interaction).toMatchObject({ actor: "Zed", at: starves_at });
    s.now += 2 * HOUR;
    const other = idOf(await reportTagged(late, null));
    const refused = await admin(again, "name_hunter", { interaction_id: other, alias: "Yan" });
    await expectRefused(refused, "wrong_state");
    expect(await drift(s)).toEqual([]);
  });

  it("does not count for a zombie whose own infection followed from it, also if two such tags end at once", async () => {
    const [gm, zed, ann, bob, cid, dan] = await s.game("Zed", "Ann", "Bob", "Cid", "Dan");
    s.now += 5 * HOUR;
    const interaction_id = idOf(await reportTagged(ann, s.now - 4 * HOUR));
    // By the reported times alone, Bob could have tagged Ann.
    expect((await s.hunt(ann, bob, optional("hunted_at", s.now - 3 * HOUR))).status).toBe(200);
    await expectRefused(s.hunt(bob, ann), "too_early");
    const byMaster = { name_hunter: { interaction_id, alias: "Bob" }, hunt: { hunter: "Bob", prey: "Ann" } };
    for (const [word, body] of Object.entries(byMaster))
      await expectRefused(admin(gm, word, body), "too_early", word);
    // Of others he can be the hunter.
    const [eve, fay] = await s.joinAll("Eve", "Fay");
    const ofEve = idOf(await reportTagged(eve, null));
    await done(gm, "name_hunter", { interaction_id: ofEve, alias: "Bob" });
    await reportTagged(fay, null);
    await done(gm, "hunt", { hunter: "Bob", prey: "Fay" });
    s.now += MINUTE;
    await reportTagged(cid, s.now - 5 * HOUR);
    expect((await s.hunt(cid, dan, optional("hunted_at", s.now - 2 * HOUR))).status).toBe(200);
    // Dan, below Cid, and Bob, below Ann, enter each other's ancestors at the same instant.
    const results: Result[] = [];
    s.beforeTransaction(async () => results.push(await s.hunt(dan, ann)));
    results.push(await s.hunt(bob, cid));
    expect(results.map(outcomeOf)).toEqual([
      [200, undefined],
      [409, "too_early"],
    ]);
    expect((await s.hunt(zed, cid)).status).toBe(200);
    const { size } = await read(gm, "/interactions/tree");
    expect(size).toBe(7);
    expect(await drift(s)).toEqual([]);
  });

  it("in a cycle, which two versions together can have stored, ends the checks, the tree, the awards and the statistics", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const [cid] = await s.joinAll("Cid");
    s.now += HOUR;
    const hunts = [await s.hunt(zed, ann), await s.hunt(ann, bob)].map(idOf);
    const [ofAnn = "", ofBob = ""] = hunts;
    const stored = (await scan(s)).filter(({ interaction_id }) => interaction_id === ofAnn);
    expect(stored).not.toEqual([]);
    for (const item of stored)
      await s.store.db.put({ ...item, parent: ofBob, gsi2pk: String(item.gsi2pk).replace(/[^#]*$/, ofBob) });
    await reportTagged(cid, null);
    await expectRefused(s.hunt(bob, cid), "too_early");
    expect((await read(gm, "/interactions/tree", { root: ofAnn })).size).toBe(2);
    for (const word of ["tree", "awards", "stats"])
      expect((await s.call(`GET /interactions/${word}/{url_id}`, { as: gm })).status, word).toBe(200);
  });
});
