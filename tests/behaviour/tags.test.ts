/**
 * Tags and their disputes: pushes, logs, reasons and moderators. What they do to the game is in `tests/battery/model`, what
 * pairs of concurrent ones do in `tests/battery/races`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, idOf, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: START });
requireConsistency(s);
const { read, admin, done, logsOf, pushed } = shortRequests(s);

let on: Record<"gm" | "mod" | "zed" | "ann" | "bob", TestPlayer>;
const begin = playedOnce(s, async () => {
  const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
  return { gm, zed, ann, bob, mod: await s.moderator("Moe") };
});
beforeEach(async () => {
  on = await begin();
  s.now += HOUR;
});

const ago = (milliseconds: number): string => rfc3339(s.now - milliseconds);
const reportTagged = (as: TestPlayer, body = {}) =>
  s.call("POST /player/report_tagged/{url_id}", { as, body });
const newestFor = async (as: TestPlayer): Promise<Result["body"]> =>
  (await read(as, "/interactions", { limit: 1, kind: "hunt" })).interactions[0];
/** The pushed events of tags and their disputes. */
const tagEvents = async () => (await pushed()).filter((one) => /^tag|taken_back/.test(one));

describe("a tag that its prey reports", () => {
  it("names the suspect to a game master who plays, also when the response is repeated", async () => {
    const as = await s.admin("Max", true);
    await s.outbreak(on.gm, as);
    s.now += MINUTE;
    await reportTagged(on.ann, { by_alias: "Bob" });
    const request = { as, body: { tag_code: on.ann.code }, key: "once" };
    const first = await s.call("POST /zombie/hunt/{url_id}", request);
    expect(first.body.interaction.details.by_alias).toBe("Bob");
    expect((await s.call("POST /zombie/hunt/{url_id}", request)).text).toBe(first.text);
  });

  it("can get a hunter who was a zombie when it is said to have been, also if the window is shorter by now", async () => {
    s.now += 3 * HOUR;
    await done(on.gm, "cure", { alias: "Zed" });
    s.now += 2 * HOUR;
    const interaction_id = idOf(await reportTagged(on.ann, { tagged_at: ago(4 * HOUR) }));
    await done(on.gm, "settings", { report_window_seconds: 600 });
    expect((await admin(on.gm, "name_hunter", { interaction_id, alias: "Zed" })).status).toBe(200);
  });

  it("can get its hunter from a game master, with a log entry, when it is too late for the code", async () => {
    const interaction_id = idOf(await reportTagged(on.ann));
    s.now += 6 * HOUR + 1;
    const late = await s.hunt(on.zed, on.ann);
    await expectRefused(late, "already_tagged");
    expect(late.body.detail).toContain("6 hours");
    await done(on.gm, "name_hunter", { interaction_id, alias: "Zed", reason: "He told me." });
    expect(await logsOf(on.gm, "name_hunter")).toMatchObject([
      { target: "Zed", details: { interaction_id, reason: "He told me." } },
    ]);
  });
});

it("a time of a tag in the future, or before the report window, is rejected with a code of its own", async () => {
  for (const [time, fault] of [
    [ago(-2 * MINUTE - 1), { code: "in_future", params: { seconds: 120 } }],
    [ago(6 * HOUR + 1), { code: "too_late", params: { seconds: 6 * 3_600 } }],
  ] as const) {
    const hunted = await s.hunt(on.zed, on.bob, { hunted_at: time });
    expect(hunted.body).toMatchObject({ errors: [{ path: "hunted_at", ...fault }] });
    const reported = await reportTagged(on.bob, { tagged_at: time });
    expect(reported.body).toMatchObject({ errors: [{ path: "tagged_at", ...fault }] });
  }
});

describe("a tag that a game master enters", () => {
  it("counts although the hunter is locked out, and its reason is shown to both sides alone", async () => {
    for (let n = 0; n < 10; n += 1) await s.hunt(on.zed, "ZZZZZZZZ");
    const body = { hunter: "zed", prey: on.ann.id, hunted_at: ago(10 * MINUTE), reason: "No phone." };
    const entered = await admin(on.gm, "hunt", body);
    const details = { entered_by_game_master: true, reason: "No phone." };
    expect(entered).toMatchObject({ status: 200, body: { interaction: { details } } });
    for (const as of [on.zed, on.ann]) expect((await newestFor(as)).details.reason).toBe("No phone.");
    expect((await newestFor(on.bob)).details).not.toHaveProperty("reason");
    const [{ actor, target, details: logged }] = await logsOf(on.gm, "hunt");
    expect([actor, target]).toEqual([on.gm.alias, "Zed"]);
    expect(logged).toMatchObject({ interaction_id: idOf(entered), reason: "No phone." });
  });

  it("completes the prey's own report, also after the report window, and can be disputed for a day from then", async () => {
    const interaction_id = idOf(await reportTagged(on.ann));
    s.now += 30 * HOUR;
    const gm = await s.login(on.gm.alias, on.gm.password);
    const { interaction } = await done(gm, "hunt", { hunter: "Zed", prey: "Ann" });
    expect(interaction).toMatchObject({ interaction_id, actor: "Zed", at: ago(30 * HOUR) });
    const body = { interaction_id, reason: "It was another." };
    expect((await s.call("POST /interactions/dispute/{url_id}", { as: on.zed, body })).status).toBe(200);
  });

  it("counts for a hunter who was a zombie at its time", async () => {
    const { infected_at } = await s.see(on.zed);
    const [eve, fay] = await s.joinAll("Eve", "Fay");
    s.now += 40 * HOUR;
    const hunted_at = rfc3339(s.now);
    s.now += 10 * HOUR;
    let gm = await s.login(on.gm.alias, on.gm.password);
    const enter = (prey: string) => done(gm, "hunt", { hunter: "Zed", prey, hunted_at });
    // The starvation is not recorded yet.
    const first = await enter("Ann");
    const starves_at = rfc3339(Date.parse(hunted_at) + 48 * HOUR);
    expect(first.player).toMatchObject({ state: "zombie", kills: 1, infected_at, starves_at });
    await done(gm, "cure", { alias: "Zed" });
    s.now += HOUR;
    const second = await enter("Bob");
    expect(second.player).toMatchObject({ state: "human", kills: 2, starves_at: null });
    const { parent_infection_id } = first.interaction.details;
    expect(second.interaction.details).toMatchObject({ parent_infection_id });
    // A tag that was void did not make a zombie, and one who starved was none until a revival.
    const { interaction_id } = first.interaction;
    s.now += HOUR;
    await done(gm, "void_hunt", { interaction_id, reason: "No." });
    const entered = { hunter: "Ann", prey: "Fay", hunted_at: ago(MINUTE) };
    await expectRefused(admin(gm, "hunt", entered), "wrong_state");
    await s.outbreak(gm, eve);
    s.now += 55 * HOUR;
    gm = await s.login(on.gm.alias, on.gm.password);
    await done(gm, "revive_h", { alias: "Eve" });
    s.now += HOUR;
    const reported = { interaction_id: idOf(await reportTagged(fay)), alias: "Eve" };
    await expectRefused(admin(gm, "name_hunter", reported), "wrong_state");
  });
});

it("tags that are void together are judged from the latest back", async () => {
  const [first, second] = [idOf(await s.hunt(on.zed, on.ann)), idOf(await s.hunt(on.ann, on.bob))];
  const { hunts } = await done(on.gm, "void_hunts", { interaction_ids: [first, second], dry_run: true });
  // Bob does not stay a zombie of Ann.
  expect(JSON.stringify(hunts)).not.toContain("stays_zombie");
});

it("fifty zombies who hunt one human concurrently tag once: one 200, forty-nine 409, one kill, one infection", async () => {
  const pack: TestPlayer[] = [];
  for (let n = 0; n < 50; n += 1) pack.push(await s.join(`Zombie ${n}`));
  await Promise.all(pack.map((one) => s.outbreak(on.gm, one)));
  const results = await Promise.all(pack.map((hunter) => s.hunt(hunter, on.ann)));
  const outcomes = Map.groupBy(results, ({ status, body }) => `${status} ${body.code}`);
  expect([...outcomes].map(([outcome, { length }]) => [outcome, length]).toSorted()).toEqual([
    ["200 undefined", 1],
    ["409 already_tagged", 49],
  ]);
  const [hunt, ...others] = (await read(on.gm, "/interactions", { kind: "hunt" })).interactions;
  expect(others).toEqual([]);
  const killers = (await Promise.all(pack.map(s.see))).filter(({ kills }) => kills > 0);
  expect(killers).toMatchObject([{ alias: hunt.actor, kills: 1 }]);
  expect((await s.see(on.ann)).infected_by).toBe(hunt.actor);
  expect(await read(on.gm, "/admin/player_count")).toMatchObject({ humans: 2, zombies: 52 });
});

it("names and address are changed by a game master, with both values in the log until the account is deleted", async () => {
  const names = { first_name: "Anna", last_name: "Lovelace", email: "ann@example.org" };
  await done(on.gm, "edit_player", { alias: "ann", ...names });
  await done(on.gm, "edit_player", { alias: "ann", first_name: "Ann", last_name: null });
  expect(await s.see(on.ann)).toMatchObject({ first_name: "Ann", last_name: null, email: names.email });
  const details = async () => (await logsOf(on.gm, "edit_player"))[0].details;
  const flags = { alias_changed: false, right_changed: false, picture_cleared: false };
  const kept = { ...flags, changed: ["first_name", "last_name"] };
  const values = { first_name_before: "Anna", first_name_after: "Ann", last_name_before: "Lovelace" };
  expect(await details()).toEqual({ ...kept, ...values, last_name_after: null });
  await s.must("DELETE /delete_player/{url_id}", { as: on.ann });
  expect(await details()).toEqual(kept);
});

describe("a dispute", () => {
  let dispute_id = "";
  beforeEach(async () => {
    dispute_id = idOf(await s.hunt(on.zed, on.ann, { note: "by the gate" }));
  });
  const dispute = (as: TestPlayer, reason = "I was at home.") =>
    s.call("POST /interactions/dispute/{url_id}", { as, body: { interaction_id: dispute_id, reason } });
  const comment = (as: TestPlayer, text: string) =>
    admin(as, "comment_dispute", { dispute_id, comment: text });
  const resolve = (outcome: string) =>
    admin(on.gm, "resolve_dispute", { dispute_id, outcome, note: "Two witnesses." });
  const takeBack = () => admin(on.gm, "void_hunt", { interaction_id: dispute_id, reason: "No." });
  const list = async (as = on.gm) => (await read(as, "/admin/disputes")).disputes;

  it("is read and commented on by moderators, who do not see the hunter's note", async () => {
    await dispute(on.ann, "  I was at home. ");
    expect((await comment(on.mod, "Bob saw it.")).status).toBe(200);
    for (const as of [on.gm, on.mod]) {
      const [{ statements, comments, interaction }] = await list(as);
      expect(statements).toMatchObject([{ side: "prey", alias: "Ann", statement: "I was at home." }]);
      expect(comments).toMatchObject([{ alias: "Moe", comment: "Bob saw it." }]);
      expect(interaction.details.note).toBe(as === on.gm ? "by the gate" : undefined);
      expect((await newestFor(as)).details.dispute).toBe("open");
    }
  });

  it.each([
    ["void", () => [`tagged ${on.ann.id}`, `tag_taken_back ${on.ann.id}`, `kill_taken_back ${on.zed.id}`]],
    ["stands", () => [`tagged ${on.ann.id}`, `tag_stands ${on.ann.id}`, `tag_stands ${on.zed.id}`]],
  ])(
    "that ends as %s is pushed to both sides and closed; one that stands becomes void with its hunt",
    async (outcome, events) => {
      await dispute(on.zed);
      await resolve(outcome);
      expect((await tagEvents()).toSorted()).toEqual(events().toSorted());
      for (const late of [await comment(on.mod, "?"), await resolve(outcome)])
        await expectRefused(late, "wrong_state");
      if (outcome === "void") return;
      expect((await takeBack()).status).toBe(200);
      expect(await list()).toMatchObject([{ status: "void", note: "No." }]);
      const { details } = await newestFor(on.ann);
      expect(details).toMatchObject({ voided: true, dispute: "void", dispute_note: "No." });
    },
  );

  it.each([
    ["a comment", () => comment(on.mod, "?")],
    ["the other side's statement", () => dispute(on.zed)],
    ["a decision that it stands", () => resolve("stands")],
  ])("is void if its hunt is voided just before %s is written", async (_, write) => {
    await dispute(on.ann);
    s.beforeTransaction(takeBack);
    await expectRefused(write(), "wrong_state");
    expect(await list()).toMatchObject([{ status: "void", interaction: { details: { voided: true } } }]);
  });
});
