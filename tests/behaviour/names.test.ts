/** Names as people write them, wherever an alias is written or read. */
import { beforeEach, describe, expect, it } from "vitest";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
requireConsistency(s);
const { admin, done, edit, read, register } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

/** How a name is typed at registration, how it is shown, how somebody else types it, and a part by which it is found. */
const NAMES: [typed: string, shown: string, again: string, part: string][] = [
  ["Robert \u00a0Downey Jr.", "Robert Downey Jr.", "robert downey jr", "downey jr"],
  ["J. R. Smith", "J. R. Smith", "J.R. Smith", "jr smith"],
  ["van ’t Hoff", "van 't Hoff", "Van 't Hoff", "vant hoff"],
  ["李", "李", "李", "李"],
  ["علی\u200cرضا", "علی\u200cرضا", "علیرضا", "علی"],
  ["Đặng Thị".normalize("NFD"), "Đặng Thị", "ĐẶNG THỊ", "dang"],
  ["ジョン・スミス", "ジョン・スミス", "ｼﾞｮﾝ・スミス", "スミス"],
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
