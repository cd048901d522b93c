/**
 * Who may join, and who plays: registration, join codes, admission, spectators and enrolment. Players who leave and come
 * back are in `tests/battery/model` too, and bans and addresses in `tests/behaviour/bans.test.ts`.
 */

import { beforeEach, describe, expect, it } from "vitest";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { drift } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: START });
const { newFile, openTable } = archives(s);
const { read, admin, register, pushed } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const enter = async (alias: string, more: object = {}): Promise<TestPlayer> => {
  const { status, text, body } = await register(alias, more);
  if (status !== 201) throw new Error(text);
  return { ...(await s.login(alias, PASSWORD)), code: body.tag_code };
};
const master = (name: string, body: unknown, as = gm) => admin(as, name, body);
const set = (body: unknown) => s.must("POST /admin/settings/{url_id}", { as: gm, body });
const listed = async (query: Record<string, string>, as = gm): Promise<Result["body"][]> =>
  (await read(as, "/admin/get_players", query)).players;
const leave = (as: TestPlayer) => s.call("DELETE /delete_player/{url_id}", { as });
const enrol = (as: TestPlayer) => s.call("POST /player/enrol/{url_id}", { as });
const reset = (more: { enrolment?: "everyone" | "opt_in" } = {}) =>
  resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now, ...more });

describe("registration", () => {
  it("is closed by a game master, or from a time on", async () => {
    await set({ registration_closes_at: rfc3339(s.now + HOUR) });
    expect((await register("Ada")).status).toBe(201);
    s.now += HOUR;
    expect(outcomeOf(await register("Ben"))).toEqual([409, "registration_closed"]);
    await set({ registration_closes_at: null });
    expect((await register("Ben")).status).toBe(201);
    await set({ registration: "closed" });
    expect(outcomeOf(await register("Cid"))).toEqual([409, "registration_closed"]);
  });

  it("makes spectators with approval, whom a game master admits: one or a list", async () => {
    await set({ registration: "approval" });
    const all = [await enter("Ada"), await enter("Ben"), await enter("Cid")] as const;
    const [ada] = all;
    expect(await s.see(ada)).toMatchObject({ state: "spectator", pending: true, tag_code: null });
    expect(aliasesIn(await listed({ pending: "true" }))).toEqual(["Ada", "Ben", "Cid"]);
    expect(aliasesIn(await listed({ pending: "false" }))).toEqual(["Game Master"]);
    const mo = await s.moderator("Mo");
    expect(await listed({ pending: "true" }, mo)).toEqual([]);
    expect(await listed({ search: "ada" }, mo)).toMatchObject([{ alias: "Ada", pending: null }]);
    expect(outcomeOf(await enrol(ada))).toEqual([409, "wrong_state"]);

    const human = (alias: string) => ({ alias, state: "human" });
    const one = await master("admit", { alias: "Ada", reason: "Knows the rules." });
    expect(one.body).toEqual({ admitted: [human("Ada")], skipped: [] });
    expect(await s.see(ada)).toMatchObject({ state: "human", pending: false, tag_code: expect.any(String) });
    expect(outcomeOf(await master("admit", { alias: "Ada" }))).toEqual([409, "wrong_state"]);
    const list = () => admin(gm, "admit", { aliases: ["ben", "Ada", "Nobody", "Cid", "BEN"] }, "list");
    const admitted = [human("Ben"), human("Cid")];
    expect((await list()).body).toEqual({
      admitted,
      skipped: [
        { alias: "Ada", code: "wrong_state" },
        { alias: "Nobody", code: "player_not_found" },
      ],
    });
    expect((await list()).body).toMatchObject({ admitted });
    expect(await pushed()).toEqual(all.map(({ id }) => `admitted ${id}`));
    expect(await drift(s)).toEqual([]);
  });
});

describe("a join code", () => {
  const codes = async () => (await read(gm, "/admin/settings")).join_codes;

  it("can have a number of uses and an end, and a rejection says only why the code is not valid", async () => {
    const ends_at = rfc3339(s.now + 6 * HOUR);
    await set({
      join_codes: [{ code: "Staple", uses: 1 }, { code: "battery", ends_at }, { code: "all in" }],
    });
    const message = async (more = {}) => (await register("Eve", more)).body.errors?.[0]?.message;
    expect(await message()).toBe("The join code is needed to join this game.");
    expect(await message({ join_code: "horse" })).toBe("The join code is not one of this game.");
    await enter("Ada", { join_code: " STAPLE " });
    expect(await message({ join_code: "staple" })).toBe("The join code has been used up.");
    s.now += 6 * HOUR;
    expect(await message({ join_code: "battery" })).toBe("The join code is not valid any more.");
    await enter("Ben", { join_code: "All In" });
    expect(await codes()).toEqual([
      { code: "all in", uses: null, uses_left: null, ends_at: null },
      { code: "battery", uses: null, uses_left: null, ends_at },
      { code: "Staple", uses: 1, uses_left: 0, ends_at: null },
    ]);
    // A code that stays keeps its uses.
    await set({ join_codes: [{ code: "staple", uses: 3 }] });
    expect(await codes()).toMatchObject([{ code: "staple", uses: 3, uses_left: 2 }]);
    await set({ join_codes: [] });
    await enter("Dee");
  });

  it("of JOIN_CODE is written into a game that does not say whether it needs one, and never over its settings", async () => {
    const seed = (code: string) => seedJoinCode(s.store, code, s.now);
    const needs = async () => (await s.call("GET /public")).body.needs_join_code;
    const refusal = async (more = {}) => outcomeOf(await register("Cid", more));
    // A deployment with a code is closed until the code is in its table.
    s.services.joinCodeRequired = true;
    expect(await needs()).toBe(true);
    expect(await refusal()).toEqual([400, "invalid_request"]);
    for (const join_code of ["", "brains"])
      expect(await refusal({ join_code })).toEqual([400, "invalid_request"]);

    // Two writers, of which one finds the setting of the other.
    expect((await Promise.all([seed("brains"), seed("brains")])).toSorted()).toEqual(["there", "written"]);
    const { settings_version, join_codes } = await read(gm, "/admin/settings");
    const brains = { code: "brains", uses: null, uses_left: null, ends_at: null };
    expect([settings_version, join_codes]).toEqual([1, [brains]]);
    expect([await needs(), await refusal()]).toEqual([true, [400, "invalid_request"]]);
    await enter("Ada", { join_code: " Brains" });

    // The game's own setting counts, whatever the deployment says.
    expect(await seed("other brains")).toBe("ignored");
    expect(await codes()).toEqual([brains]);
    await set({ join_codes: [] });
    expect([await seed("brains"), await codes(), await needs()]).toEqual(["ignored", [], false]);
    await enter("Ben");
    expect(outcomeOf(await admin(gm, "settings", { join_codes: null }))).toEqual([400, "invalid_request"]);
  });

  it("of JOIN_CODE does not replace what a game master sets at the same time, even if that is none", async () => {
    s.services.joinCodeRequired = true;
    s.beforeTransaction(() => set({ join_codes: [] }));
    expect(await seedJoinCode(s.store, "brains", s.now)).toBe("ignored");
    await enter("Ada");
  });

  it("with one use left lets exactly one of two in, and a retry in once", async () => {
    const join_code = "only two";
    await set({ join_codes: [{ code: join_code, uses: 2 }] });
    const retried = () => register("Ada", { join_code }, { key: "once" });
    const { text } = await retried();
    expect((await retried()).text).toBe(text);
    expect(await codes()).toMatchObject([{ uses_left: 1 }]);
    const both = await Promise.all(["Ben", "Cid"].map((alias) => register(alias, { join_code })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    // A retry succeeds also when no use is left and registration has been closed.
    await set({ registration: "closed" });
    expect((await retried()).status).toBe(201);
    expect(await codes()).toMatchObject([{ uses_left: 0 }]);
  });
});

it("a player whom a game master takes out of play gets a push, cannot enrol, and cannot be tagged", async () => {
  const [ada, zed] = [await enter("Ada"), await enter("Zed")];
  await s.outbreak(gm, zed);
  const { body } = await master("make_spectator", { alias: "Ada", reason: "Injured." });
  expect(body.interaction.details).toEqual({ withdrawn: true, reason: "Injured." });
  expect(await pushed()).toContain(`withdrawn ${ada.id}`);
  expect(outcomeOf(await enrol(ada))).toEqual([409, "wrong_state"]);
  const { detail } = (await s.hunt(zed, ada)).body;
  expect(detail).toBe("The player with this tag code is a spectator, but was not tagged.");
});

it("an opt-in season enrols those who ask until its start, and later only while registration is open", async () => {
  const [ada, ben, cid] = [await enter("Ada"), await enter("Ben"), await enter("Cid")];
  await s.outbreak(gm, ben);
  await master("make_spectator", { alias: "Cid" });
  await set({ enrolment: "opt_in" });
  s.now += 1;
  expect(await reset()).toMatchObject({ humans: 0, unenrolled: 2 });
  await set({ starts_at: rfc3339(s.now + 2 * HOUR), registration: "closed" });
  for (const one of [ada, cid]) {
    expect((await s.see(one)).state).toBe("spectator");
    expect((await enrol(one)).body).toMatchObject({ state: "human", tag_code: expect.any(String) });
    expect(outcomeOf(await enrol(one))).toEqual([409, "wrong_state"]);
  }
  s.now += 2 * HOUR;
  expect(outcomeOf(await enrol(ben))).toEqual([409, "registration_closed"]);
  await set({ registration: "open" });
  expect((await enrol(ben)).status).toBe(200);
  s.now += 1;
  expect(await reset({ enrolment: "everyone" })).toMatchObject({ humans: 3, unenrolled: 0 });
  expect(await drift(s)).toEqual([]);
});

describe("a player who leaves during play", () => {
  let zed: TestPlayer;
  beforeEach(async () => {
    zed = await enter("Zed", { email: "zed@example.org" });
    await s.outbreak(gm, zed);
    s.now += 2 * HOUR;
  });

  it("comes back in the state in which they left, by alias or e-mail address; neither is stored in plain text", async () => {
    const [ann, bea, cid] = [await enter("Ann"), await enter("Bea"), await enter("Cid")];
    await master("corpsify", { alias: "Ann" });
    await master("make_spectator", { alias: "Bea" });
    await set({ registration: "approval" });
    // The first to leave creates the key of the tombstones, and the others wait for it.
    for (const { status } of await Promise.all([ann, bea, cid, zed].map(leave))) expect(status).toBe(204);
    s.now += 10 * HOUR;
    const zombie = { state: "zombie", tag_code: null, starves_at: rfc3339(s.now + 46 * HOUR) };
    const back: [alias: string, email: string | null, as: object][] = [
      ["Ann", null, { state: "corpse" }],
      ["Bea", null, { state: "spectator", pending: false }],
      ["Cid", null, { state: "human", tag_code: cid.code, pending: false }],
      ["Somebody else", "Zed@Example.org", zombie],
    ];
    for (const [alias, email, as] of back)
      expect((await register(alias, { email })).body, alias).toMatchObject(as);
    expect(outcomeOf(await enrol(await s.login("Bea", PASSWORD)))).toEqual([409, "wrong_state"]);
    // Zed starves before leaving again.
    s.now += 47 * HOUR;
    await leave(await s.login("Somebody else", PASSWORD));
    const kept = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#TOMBSTONES"));
    expect(JSON.stringify(kept)).not.toMatch(/example|somebody/i);
    const corpse = { state: "corpse", starves_at: null };
    expect((await register("Somebody else")).body).toMatchObject(corpse);
    expect(await drift(s)).toEqual([]);
  });

  it("counts as absent from the time of the request, also if the deletion is continued later", async () => {
    const message = { player_id: zed.id, action: "delete_player", actor: zed.id, left_at: s.now };
    s.now += 47 * HOUR;
    const run = { services: s.services, requestId: "later", timeLeft: () => 60_000 };
    await processMessage(run, { kind: "removal", ...message });
    const back = { state: "zombie", starves_at: rfc3339(s.now + 46 * HOUR) };
    expect((await register("Zed")).body).toMatchObject(back);
  });

  it("is tagged also if the hunter reports it while they are away, or when they are back", async () => {
    const [ann, bea] = [await enter("Ann"), await enter("Bea")];
    s.now += HOUR;
    for (const one of [ann, bea]) await leave(one);
    const { interaction_id: infection_id } = (await s.hunt(zed, ann)).body.interaction;
    const back = { state: "zombie", infected_by: "Zed", starves_at: rfc3339(s.now + 48 * HOUR) };
    expect((await register("Ann")).body).toMatchObject(back);
    const { roots } = await read(gm, "/interactions/tree");
    const branch = [{ infection_id, alias: null, children: [{ alias: "Ann" }] }];
    expect(roots[0].children).toMatchObject(branch);
    expect((await read(gm, "/interactions/tree", { root: infection_id })).roots).toMatchObject(branch);
    await enter("Bea");
    const hunted = (await s.hunt(zed, bea, { hunted_at: rfc3339(s.now - HOUR) })).body;
    expect(hunted).toMatchObject({ hunter: { kills: 2 }, prey: { alias: "Bea", state: "zombie" } });
    expect(await drift(s)).toEqual([]);
  });

  it("is still shown as a human after coming back, if they are a hidden original zombie", async () => {
    const ann = await enter("Ann");
    const oda = await enter("Oda", { wants_original: true });
    await set({ hide_originals: true });
    await master("draw_originals", { n: 1 });
    await s.outbreak(gm, await enter("Una"));
    const comesBack = async (alias: string) => {
      await leave(await s.login(alias, PASSWORD));
      return (await register(alias)).body;
    };
    for (const alias of ["Oda", "Una"]) {
      expect(await comesBack(alias)).toMatchObject({ state: "zombie", shown_as: "human" });
      const { body } = await s.must("POST /get_player/{url_id}", { as: ann, body: { alias } });
      expect(body.state).toBe("human");
    }
    const { interactions } = await read(ann, "/interactions");
    expect(interactions[0]).toMatchObject({ kind: "revive_human", target: null });
    // Oda's old tag code identifies her again.
    await master("set_checkpoint", { name: "The bridge" });
    expect((await master("player_at_checkpoint", { tag_code: oda.code })).status).toBe(200);
    // Oda has starved, which nobody else sees.
    s.now += 50 * HOUR;
    expect(await comesBack("Oda")).toMatchObject({ state: "corpse", shown_as: "human" });
    expect(await drift(s)).toEqual([]);
  });

  it("needs a game master if the settings say so, until the game has ended; then they leave alone and come back as a human", async () => {
    await enter("Ann");
    await set({ leaving: "with_game_master", ends_at: rfc3339(s.now + HOUR) });
    expect(outcomeOf(await leave(zed))).toEqual([409, "ask_game_master"]);
    expect((await master("remove_player", { alias: "Ann" })).status).toBe(204);
    s.now += HOUR;
    expect((await leave(zed)).status).toBe(204);
    expect((await register("Zed")).body.state).toBe("human");
  });
});
