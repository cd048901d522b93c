/** The awards of a game that has ended, played through the service. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { newFile, openTable } = archives(s);

const { done, read } = shortRequests(s);

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
      most_kills: shared(2, "Ada"),
      longest_survivor: { ...shared(1, "Eve"), value: expect.any(Number) },
      longest_chain: { ...shared(3, "Zed"), chain: ["Zed", "Ada", "Ben", "Cid"] },
      most_meals_shared: shared(2, "Ben"),
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
    await killed("Ada", 7);
    const lastAt = rfc3339(s.now);
    await end(gm);
    const all = await awards(gm);
    const { longest_survivor, last_human } = all;
    // Ada's second life; the first was two hours, and Ben's four.
    expect(longest_survivor.winners).toEqual(["Ada"]);
    expect(Math.round(longest_survivor.value / 60)).toBe(300);
    expect(last_human).toMatchObject({ winners: ["Ada"], count: 1 });
    expect(Math.abs(Date.parse(last_human.at) - Date.parse(lastAt))).toBeLessThan(MINUTE);
    const file = newFile();
    await resetGame(openTable(), { file, force: false, clock: () => s.now });
    const [header = ""] = (await readFile(file, "utf8")).split("\n");
    expect(JSON.parse(header).awards).toEqual(all);
    expect((await awards(gm)).last_human).not.toEqual(last_human);
  });
});
