/**
 * Who may join, and who plays: registration, names, join codes, admission, spectators and enrolment. Players who leave and come
 * back are in `tests/behaviour/returning.test.ts`, and bans and addresses in `tests/behaviour/bans.test.ts`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: START });
requireConsistency(s);
const { newFile, openTable } = archives(s);
const { read, admin, done, edit, register, enter, enrol, pushed } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const master = (name: string, body: unknown, as = gm) => admin(as, name, body);
const set = (body: unknown) => s.must("POST /admin/settings/{url_id}", { as: gm, body });
const listed = async (query: Record<string, string>, as = gm): Promise<Result["body"][]> =>
  (await read(as, "/admin/get_players", query)).players;
const reset = (more: { enrolment?: "everyone" | "opt_in" } = {}) =>
  resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now, ...more });

describe("registration", () => {
  it("is closed by a game master, from a time on, or when the game has ended", async () => {
    await set({ registration_closes_at: rfc3339(s.now + HOUR) });
    expect((await register("Ada")).status).toBe(201);
    s.now += HOUR;
    await expectRefused(register("Ben"), "registration_closed");
    await set({ registration_closes_at: null });
    expect((await register("Ben")).status).toBe(201);
    await set({ registration: "closed" });
    await expectRefused(register("Cid"), "registration_closed");
    await set({ registration: "open", ends_at: "now" });
    await expectRefused(register("Cid"), "registration_closed");
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
    await expectRefused(enrol(ada), "wrong_state");

    const human = (alias: string) => ({ alias, state: "human" });
    const one = await master("admit", { alias: "Ada", reason: "Knows the rules." });
    expect(one.body).toEqual({ admitted: [human("Ada")], skipped: [] });
    expect(await s.see(ada)).toMatchObject({ state: "human", pending: false, tag_code: expect.any(String) });
    await expectRefused(master("admit", { alias: "Ada" }), "wrong_state");
    const list = () => admin(gm, "admit", { aliases: ["ben", "Ada", "Nobody", "Cid", "BEN"] }, "list");
    const admitted = [human("Ben"), human("Cid")];
    const codes = Object.entries({ Ada: "wrong_state", Nobody: "player_not_found" });
    const skipped = codes.map(([alias, code]) => ({ alias, code }));
    expect((await list()).body).toEqual({ admitted, skipped });
    expect((await list()).body).toMatchObject({ admitted });
    expect(await pushed()).toEqual(all.map(({ id }) => `admitted ${id}`));
  });
});

describe("a join code", () => {
  const codes = async () => (await read(gm, "/admin/settings")).join_codes;

  it("can have a number of uses and an end, and a rejection says only why the code is not valid", async () => {
    const ends_at = rfc3339(s.now + 6 * HOUR);
    const three = [{ code: "Staple", uses: 1 }, { code: "battery", ends_at }, { code: "all in" }];
    await set({ join_codes: three });
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
    await expectRefused(admin(gm, "settings", { join_codes: null }), "invalid_request");
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
    await expectRefused(enrol(one), "wrong_state");
  }
  s.now += 2 * HOUR;
  await expectRefused(enrol(ben), "registration_closed");
  await set({ registration: "open" });
  expect((await enrol(ben)).status).toBe(200);
  s.now += 1;
  expect(await reset({ enrolment: "everyone" })).toMatchObject({ humans: 3, unenrolled: 0 });
});

/**
 * How a name is typed at registration, how it is shown, how somebody else types it, and a part by which it is found. More
 * names are in tests/unit/alias.test.ts and tests/unit/searchText.test.ts.
 */
const NAMES: [typed: string, shown: string, again: string, part: string][] = [
  ["van ’t \u00a0Hoff", "van 't Hoff", "Van 't Hoff", "vant hoff"],
  ["王\u3000小明", "王 小明", "王 小明", "小明 王"],
  ["Đặng Thị".normalize("NFD"), "Đặng Thị", "ĐẶNG THỊ", "dang"],
];

describe.each(NAMES)("the name %j", (typed, shown, again, part) => {
  it("is an alias, by which others find, tag, feed, dispute, label and ban the player", async () => {
    const { status, body } = await register(typed, { first_name: typed });
    expect([status, body.alias]).toEqual([201, shown]);
    await expectRefused(register(again), "alias_taken");
    const player = await s.login(again, PASSWORD);
    expect((await s.login(typed, PASSWORD)).id).toBe(player.id);
    const [zed, ben] = await s.joinAll("Zed", "Ben");
    await s.outbreak(gm, zed);
    await s.outbreak(gm, player);

    await done(gm, "feed_player", { alias: again });
    expect((await s.hunt(zed, ben, { share_with: [again] })).status).toBe(200);
    const seen = await s.must("POST /get_player/{url_id}", { as: zed, body: { alias: again } });
    expect(seen.body.alias).toBe(shown);
    const { interactions } = await read(zed, "/interactions", { player: again, kind: "feed" });
    expect(new Set(interactions.map(({ target }: { target: string }) => target))).toEqual(new Set([shown]));
    const found = async (path: string, query: Record<string, string>) =>
      aliasesIn((await read(gm, path, query)).players);
    for (const q of [part, part.normalize("NFD"), again, shown]) {
      expect([q, await found("/admin/find", { q })]).toEqual([q, [shown]]);
      expect([q, await found("/admin/get_players", { search: q })]).toEqual([q, [shown]]);
    }
    await done(gm, "label", { aliases: [again], add: ["late"] });
    expect(await found("/admin/get_players", { label: "late" })).toEqual([shown]);

    const other = `${shown} Li`;
    expect((await edit(player, { alias: other })).body.alias).toBe(other);
    await expectRefused(register(again), "alias_taken");
    expect(outcomeOf(await admin(gm, "ban", { alias: other }))).toEqual([200, undefined]);
    await expectRefused(register(other), "banned");
  });
});

it("an alias that is not allowed is answered with the character at fault and the nearest alias, in every form", async () => {
  const alias = "Robert Downey, Jr.";
  const params = { character: ",", code_point: "U+002C", suggestion: "Robert Downey Jr." };
  const fault = { path: "alias", params };
  expect((await register(alias)).body.errors).toMatchObject([fault]);
  const ada = await s.join("Ada");
  expect((await edit(ada, { alias })).body.errors).toMatchObject([fault]);
  const { errors } = (await admin(gm, "edit_player", { alias: "Ada", alias_to: alias })).body;
  expect(errors).toMatchObject([{ ...fault, path: "alias_to" }]);
  const { rows } = (await admin(gm, "import_players", { rows: [{ alias }], dry_run: true })).body;
  expect(rows).toMatchObject([{ status: "rejected", errors: [fault] }]);
});

describe("an e-mail address", () => {
  it("of another script is kept as it was typed, found, and recognised in all of its forms", async () => {
    const ada = await s.join("Ada");
    const email = "Jürgen+HvZ@Bücher.Example";
    expect((await edit(ada, { email: ` ${email} ` })).body.email).toBe(email);
    for (const q of ["jurgen", email.normalize("NFD")])
      expect(aliasesIn((await read(gm, "/admin/find", { q })).players)).toEqual(["Ada"]);

    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { unique_email: true } });
    const same = ["jürgen+hvz@xn--bcher-kva.example", "JU\u0308RGEN+HVZ@BU\u0308CHER.EXAMPLE"];
    const rows = [...same, "jürgen@bücher.example"].map((one, at) => ({ alias: `Row ${at}x`, email: one }));
    const imported = await done(gm, "import_players", { rows, dry_run: true });
    const errors = imported.rows.map((row: { errors?: object[] }) => row.errors);
    expect(errors).toMatchObject([[{ code: "email_taken" }], [{ code: "duplicate" }], undefined]);

    await done(gm, "ban", { email: "jürgen+hvz@XN--BCHER-KVA.example" });
    const { body } = await register("Eve", { email: "JÜRGEN+hvz@bücher.example" });
    expect([body.state, body.pending]).toEqual(["spectator", true]);
    expect((await register("Fay", { email: "jürgen@bücher.example" })).body.state).toBe("human");
  });
});

it("a name of letters that stand for whole words is stored, and found by its beginning", async () => {
  const name = `${"㌖".repeat(52)}𠀀`;
  const words = { first_name: name, last_name: "㌖".repeat(60) };
  expect((await register("Ada", words)).status).toBe(201);
  expect(aliasesIn((await read(gm, "/admin/find", { q: "キロメートル" })).players)).toEqual(["Ada"]);
  expect(aliasesIn((await read(gm, "/admin/find", { q: name })).players)).toEqual(["Ada"]);
});
