/** Game masters' own statements: what they find; and those of docs/api.md. Pages and order are in `tests/unit/partiql.test.ts`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/project/root.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment({ services: () => ({ injectSqlWrites: true }) });

const ROUTE = "POST /admin/inject_sql/{url_id}";

interface Cast {
  gm: Someone;
  ada: Someone;
  ben: Someone;
  cid: Someone;
  dan: Someone;
}

/** Ada has tagged Ben and Cid, the first with a note; Dan is human, and so could not be cured. */
const outbreak = async (): Promise<Cast> => {
  const gm = await s.admin();
  const [ada, ben, cid, dan] = [
    await s.join("Ada"),
    await s.join("Ben"),
    await s.join("Cid"),
    await s.join("Dan"),
  ];
  await s.call("POST /edit_player/{url_id}", {
    as: ada,
    body: { first_name: "Augusta", email: "ada@example.org" },
  });
  await s.outbreak(gm, ada);
  expect((await s.hunt(ada, ben, { note: "It's on the bridge" })).status).toBe(200);
  expect((await s.hunt(ada, cid)).status).toBe(200);
  expect((await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Dan" } })).status).toBe(409);
  return { gm, ada, ben, cid, dan };
};

const ask = (gm: Someone, statement: string, more: Record<string, unknown> = {}): Promise<Result> =>
  s.call(ROUTE, { as: gm, body: { statement, ...more } });

const items = async (gm: Someone, statement: string, parameters: unknown[] = []) => {
  const { status, body, text } = await ask(gm, statement, { parameters });
  expect(status, `${statement}: ${text}`).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(["items", "next_cursor"]);
  return body.items;
};

const aliases = (...names: string[]) => names.map((alias) => ({ alias }));

/** A statement, what it finds, and its parameters. */
type Statement = [statement: string, expected: unknown, parameters?: unknown[]];

const any = expect.any(String);
const ROSTER = `FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'`;
const INTERACTIONS = `FROM "game" WHERE pk = 'INTERACTIONS#0'`;

/** One statement for each clause and index that the engine has to understand; `tests/unit/partiql.test.ts` has the grammar. */
const statementsOf = ({ gm, ada, ben, cid, dan }: Cast): Statement[] => [
  [
    `SELECT * FROM "game" WHERE pk = 'PLAYER#${ada.id}' AND sk = 'PROFILE'`,
    [expect.objectContaining({ pk: `PLAYER#${ada.id}`, alias: "Ada", kills: 2, email: "ada@example.org" })],
  ],
  [
    `SELECT alias FROM "game" WHERE pk IN (?, 'PLAYER#${dan.id}') AND state = 'human'`,
    aliases("Dan"),
    [`PLAYER#${ada.id}`],
  ],
  [`SELECT ids[0] FROM "game" WHERE sk = 'ADMINS' AND pk = 'GAME'`, [{ "ids[0]": gm.id }]],
  [
    `SELECT kind ${INTERACTIONS} AND (kind = 'corpsify' OR kind IN ('cure', ?))`,
    [{ kind: "corpsify" }, { kind: "revive_zombie" }],
    ["revive_zombie"],
  ],
  [
    `SELECT kind ${INTERACTIONS} AND NOT kind = 'hunt' AND NOT (kind = 'corpsify') AND kind IS NOT MISSING`,
    [{ kind: "revive_zombie" }],
  ],
  [
    `SELECT note FROM "game" WHERE pk = ? AND begins_with(sk, 'NOTE#') AND contains(note, ?) AND note = 'It''s on the bridge'`,
    [{ note: "It's on the bridge" }],
    [`PLAYER#${ada.id}`, "bridge"],
  ],
  [
    `SELECT kind ${INTERACTIONS} AND sk > '0' AND at BETWEEN '2020' AND ? AND begins_with(kind, 'revive')`,
    [{ kind: "revive_zombie" }],
    ["9999"],
  ],
  [`SELECT alias ${ROSTER} ORDER BY gsi1sk ASC`, aliases("Ada", "Ben", "Cid", "Dan", "Game Master")],
  [`SELECT alias ${ROSTER} AND has_pfp = FALSE AND state <> 'zombie'`, aliases("Dan", "Game Master")],
  [
    `SELECT target FROM "game"."gsi1" WHERE gsi1pk = 'INFECTIONS#0' AND parent <> 'nobody'`,
    expect.arrayContaining([{ target: ben.id }, { target: cid.id }]),
  ],
  [
    `SELECT alias FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '0' AND '9'`,
    expect.arrayContaining(aliases("Ada", "Ben", "Cid")),
  ],
  [
    `SELECT alias FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND deadline > -1.5e3 AND kills >= 1`,
    aliases("Ada"),
  ],
  [`SELECT action FROM "game" WHERE pk = 'LOGS#0' AND actor = ? AND action = 'login'`, [], [null]],
  [
    `/* who */ SELECT alias -- by name\r\nFROM game.gsi1\n\tWHERE (gsi1pk = 'ROSTER#0') /* OR 1 = 1 */ AND gsi1sk = 'dan' -- ;`,
    aliases("Dan"),
  ],
  [`SELECT alias ${ROSTER} AND alias = 'Dan'' OR 1 = 1 --'`, []],
];

describe("a game master's statement", () => {
  it("finds what it selects, and nothing else", async () => {
    const cast = await outbreak();
    for (const [statement, expected, parameters] of statementsOf(cast)) {
      expect(await items(cast.gm, statement, parameters), statement).toEqual(expected);
    }
  });

  it("has a cursor that is valid for this statement alone", async () => {
    const gm = await s.admin();
    for (let at = 0; at < 11; at += 1) await s.call("GET /admin/player_count/{url_id}", { as: gm });
    await s.call("POST /admin/pause_game/{url_id}", { as: gm });
    const statement = `SELECT sk FROM "game" WHERE pk = ? AND action = 'player_count'`;
    const parameters = ["LOGS#0"];
    const all = await items(gm, statement, parameters);
    expect(all).toHaveLength(11);
    // Another statement's, other parameters', tampered with.
    const own = (await ask(gm, statement, { parameters, limit: 4 })).body.next_cursor;
    for (const other of [
      { statement: `${statement} `, parameters, cursor: own },
      { statement, parameters: ["LOGS#1"], cursor: own },
      { statement, parameters, cursor: `${own}A` },
      { statement, parameters, cursor: "x" },
    ]) {
      const rejected = await s.call(ROUTE, { as: gm, body: other });
      expect(rejected).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
    }
    expect((await ask(gm, statement, { parameters, limit: 11 })).body.next_cursor).toBeNull();
    expect((await ask(gm, statement, { parameters, limit: 2, cursor: own })).body.items).toEqual(
      all.slice(4, 6),
    );
  });
});

describe("writing, where it is switched on", () => {
  it("inserts, updates and deletes one item, on the conditions that the statement makes", async () => {
    const gm = await s.admin();
    const key = { pk: "NOTES#0", sk: "it's" };
    const inserted = await ask(
      gm,
      `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'it''s', 'text': ?, 'list': [1, TRUE, NULL, {'a': -2.5}]}`,
      { parameters: [{ note: ["JSON", 1e-7] }] },
    );
    expect(inserted).toMatchObject({ status: 200, body: { items: [], next_cursor: null } });
    expect(await s.store.db.get(key)).toEqual({
      ...key,
      text: { note: ["JSON", 1e-7] },
      list: [1, true, null, { a: -2.5 }],
    });
    const twice = await ask(gm, `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'it''s'}`);
    expect(twice).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(twice.body.detail).toMatch(/duplicate/i);

    const where = `WHERE pk = 'NOTES#0' AND sk = ?`;
    const updated = await ask(
      gm,
      `UPDATE "game" SET text = 'new', rev = 8 SET list[0] = 7 REMOVE list[1] ${where} AND text.note[0] = 'JSON' RETURNING ALL NEW *`,
      { parameters: ["it's"] },
    );
    expect(updated.body.items).toEqual([{ ...key, text: "new", rev: 8, list: [7, null, { a: -2.5 }] }]);
    expect(
      (await ask(gm, `UPDATE "game" SET text = 'x' ${where} AND rev = 7`, { parameters: ["it's"] })).status,
    ).toBe(400);
    expect((await ask(gm, `UPDATE "game" SET text = 'x' ${where}`, { parameters: ["other"] })).status).toBe(
      400,
    );
    expect(await s.store.db.get({ ...key, sk: "other" })).toBeUndefined();

    expect((await ask(gm, `DELETE FROM "game" ${where} AND rev = 7`, { parameters: ["it's"] })).status).toBe(
      400,
    );
    const deleted = await ask(gm, `DELETE FROM "game" ${where} AND rev = 8 RETURNING ALL OLD *`, {
      parameters: ["it's"],
    });
    expect(deleted.body.items).toMatchObject([{ text: "new" }]);
    expect(await s.store.db.get(key)).toBeUndefined();
  });
});

describe("a player whose state alone was set to zombie", () => {
  it("is a corpse in every list, cannot hunt, and can be revived", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const where = `WHERE pk = 'PLAYER#${ben.id}' AND sk = 'PROFILE'`;
    expect((await ask(gm, `UPDATE "game" SET state = 'zombie' ${where}`)).status).toBe(200);
    const shown = async (route: string, field: string) => {
      const { body } = await s.must(route, { as: gm });
      return body[field].find(({ alias }: { alias: string }) => alias === "Ben").state;
    };
    expect(await shown("GET /users/{url_id}", "users")).toBe("corpse");
    expect(await shown("GET /admin/get_players/{url_id}", "players")).toBe("corpse");
    expect(await s.see(ben)).toMatchObject({ state: "corpse", starves_at: null });
    expect((await s.hunt(ben, ada)).body.code).toBe("wrong_state");
    const revived = await s.must("POST /admin/revive_z/{url_id}", { as: gm, body: { player_id: ben.id } });
    const starves_at = expect.any(String);
    expect(revived.body.player).toMatchObject({ state: "zombie", starves_at });
    expect(await s.see(ben)).toMatchObject({ state: "zombie", starves_at });
  });
});

describe("the statements of docs/api.md", () => {
  it("all work", async () => {
    const { gm, ada, ben } = await outbreak();
    const document = readFileSync(join(ROOT, "docs/api.md"), "utf8");
    const [, block = ""] = /<!-- statements[^\n]*\n```sql\n([\s\S]*?)```/.exec(document) ?? [];
    const statements = block.trim().split(/\n\n/);
    const found = [];
    for (const statement of statements) found.push(await items(gm, statement));
    expect(found).toEqual([
      [{ player_id: ada.id }],
      aliases("Ben").map((one) => expect.objectContaining(one)),
      [expect.objectContaining({ alias: "Ada", kills: 2 })],
      [{ at: any, actor: ada.id, target: ben.id }],
      [expect.objectContaining({ actor: gm.id, action: "cure", outcome: "wrong_state" })],
    ]);
  });
});
