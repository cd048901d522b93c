/** Game masters' own statements: what they find, in which pages; and those of docs/api.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/endpoints.ts";
import { type Result, type Someone, stage } from "../support/service.ts";

// The service that stories reach over HTTP has writing switched on too: tests/support/httpSetup.ts.
const s = stage({ services: () => ({ injectSqlWrites: true }) });

const ROUTE = "POST /admin/inject_sql/{url_id}";

interface Cast {
  gm: Someone;
  ada: Someone;
  ben: Someone;
  cid: Someone;
  dan: Someone;
}

/** Ada has tagged Ben and Cid, the first with a note; Dan lives; Ada has been refused something. */
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

/** The items, in whatever order their fields come. */
const items = async (gm: Someone, statement: string, parameters: unknown[] = []) => {
  const { status, body, text } = await ask(gm, statement, { parameters });
  expect(status, `${statement}: ${text}`).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(["items", "next_cursor"]);
  return body.items;
};

const aliases = (...names: string[]) => names.map((alias) => ({ alias }));

/** A statement that game masters may ask, its parameters, and what it finds. */
type Honest = (cast: Cast) => [statement: string, expected: unknown, parameters?: unknown[]];

const any = expect.any(String);

const HONEST: Honest[] = [
  // a player by id, and who is behind a name or code
  ({ ada }) => [
    `SELECT * FROM "game" WHERE pk = 'PLAYER#${ada.id}' AND sk = 'PROFILE'`,
    [expect.objectContaining({ pk: `PLAYER#${ada.id}`, alias: "Ada", kills: 2, email: "ada@example.org" })],
  ],
  ({ ada }) => [
    `SELECT alias FROM "game" WHERE pk = ? AND sk < 'Q' AND sk >= 'P'`,
    aliases("Ada"),
    [`PLAYER#${ada.id}`],
  ],
  ({ ada }) => [
    `select "alias", "kills" from "game" where "pk" = ? and "sk" = ?`,
    [{ alias: "Ada", kills: 2 }],
    [`PLAYER#${ada.id}`, "PROFILE"],
  ],
  ({ ada, ben }) => [
    `SELECT pk FROM "game" WHERE pk IN ('PLAYER#${ada.id}', ?) AND alias IS NOT MISSING`,
    expect.arrayContaining([{ pk: `PLAYER#${ada.id}` }, { pk: `PLAYER#${ben.id}` }]),
    [`PLAYER#${ben.id}`],
  ],
  ({ ada, dan }) => [
    `SELECT alias FROM "game" WHERE pk IN [?, ?] AND state = 'human'`,
    aliases("Dan"),
    [`PLAYER#${ada.id}`, `PLAYER#${dan.id}`],
  ],
  () => [`SELECT * FROM "game" WHERE pk = 'PLAYER#nobody'`, []],
  ({ ada }) => [`SELECT player_id FROM "game" WHERE pk = 'ALIAS#ada'`, [{ player_id: ada.id }]],
  ({ dan }) => [`SELECT player_id FROM "game" WHERE pk = ?`, [{ player_id: dan.id }], [`CODE#${dan.code}`]],
  // the game itself
  () => [`SELECT rev, shards FROM "game" WHERE pk = 'GAME' AND sk = 'STATE'`, [] as unknown[]],
  ({ gm }) => [`SELECT ids FROM "game" WHERE pk = 'GAME' AND sk = 'ADMINS'`, [{ ids: [gm.id] }]],
  ({ gm }) => [`SELECT ids[0] FROM "game" WHERE sk = 'ADMINS' AND pk = 'GAME'`, [{ "ids[0]": gm.id }]],
  // interactions of a shard, filtered
  () => [
    `SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0'`,
    ["corpsify", "revive_zombie", "hunt", "hunt"].map((kind) => ({ kind })),
  ],
  ({ ben, cid }) => [
    `SELECT target FROM "game" WHERE pk = 'INTERACTIONS#0' AND kind = 'hunt'`,
    [{ target: ben.id }, { target: cid.id }],
  ],
  ({ ben, cid }) => [
    `SELECT target FROM "game" WHERE kind = 'hunt' AND target <> ? AND pk = 'INTERACTIONS#0'`,
    [{ target: ben.id }],
    [cid.id],
  ],
  () => [
    `SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0' AND (kind = 'corpsify' OR kind = 'revive_zombie')`,
    [{ kind: "corpsify" }, { kind: "revive_zombie" }],
  ],
  () => [
    `SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0' AND NOT kind = 'hunt' AND NOT (kind = 'corpsify')`,
    [{ kind: "revive_zombie" }],
  ],
  () => [
    `SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0' AND kind IN ('cure', 'corpsify', ?)`,
    [{ kind: "corpsify" }, { kind: "revive_zombie" }],
    ["revive_zombie"],
  ],
  ({ ada }) => [
    `SELECT note FROM "game" WHERE pk = 'PLAYER#${ada.id}' AND note = 'It''s on the bridge'`,
    [{ note: "It's on the bridge" }],
  ],
  ({ ada }) => [
    `SELECT note FROM "game" WHERE pk = ? AND begins_with(sk, 'NOTE#') AND contains(note, ?)`,
    [{ note: "It's on the bridge" }],
    [`PLAYER#${ada.id}`, "bridge"],
  ],
  () => [
    `SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0' AND sk > '0' AND at BETWEEN '2020' AND ? AND begins_with(kind, 'revive')`,
    [{ kind: "revive_zombie" }],
    ["9999"],
  ],
  () => [`SELECT kind FROM "game" WHERE pk = 'INTERACTIONS#0' AND nonsense IS NOT MISSING`, []],
  // the roster
  () => [
    `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'`,
    aliases("Ada", "Ben", "Cid", "Dan", "Game Master"),
  ],
  () => [
    `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, 'b')`,
    aliases("Ben"),
  ],
  () => [
    `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = ? AND gsi1sk >= ? AND gsi1sk < 'game'`,
    aliases("Cid", "Dan"),
    ["ROSTER#0", "c"],
  ],
  () => [
    `SELECT alias, kills FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND kills > 0`,
    [{ alias: "Ada", kills: 2 }],
  ],
  () => [
    `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND has_pfp = FALSE AND state <> 'zombie'`,
    aliases("Dan", "Game Master"),
  ],
  () => [
    `SELECT gsi1sk, pk FROM "game"."gsi1" WHERE gsi1pk IN ('ROSTER#0') AND state = 'human'`,
    [{ gsi1sk: "dan", pk: any }],
  ],
  () => [
    `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' ORDER BY gsi1sk ASC`,
    aliases("Ada", "Ben", "Cid", "Dan", "Game Master"),
  ],
  ({ ben, cid }) => [
    `SELECT target FROM "game"."gsi1" WHERE gsi1pk = 'INFECTIONS#0' AND parent <> 'nobody'`,
    expect.arrayContaining([{ target: ben.id }, { target: cid.id }]),
  ],
  // living zombies by deadline, and by their kills
  () => [
    `SELECT alias FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0'`,
    expect.arrayContaining(aliases("Ada", "Ben", "Cid")),
  ],
  () => [
    `SELECT alias FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '0' AND '9'`,
    expect.arrayContaining(aliases("Ada")),
  ],
  () => [`SELECT alias FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk < '0001'`, []],
  () => [`SELECT alias FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND kills >= 1`, aliases("Ada")],
  () => [
    `SELECT alias, kills FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND deadline > -1.5e3 AND kills = 0`,
    expect.arrayContaining([{ alias: "Ben", kills: 0 }]),
  ],
  // the log
  ({ gm }) => [
    `SELECT actor, action, outcome FROM "game" WHERE pk = 'LOGS#0' AND outcome <> 'done' AND action = 'cure'`,
    [{ actor: gm.id, action: "cure", outcome: "wrong_state" }],
  ],
  () => [`SELECT action FROM "game" WHERE pk = 'LOGS#0' AND actor = ? AND action = 'login'`, [], [null]],
  // with comments, quotes and line ends
  () => [
    `/* who */ SELECT alias -- by name\r\nFROM "game"."gsi1"\n\tWHERE gsi1pk = 'ROSTER#0' /* OR 1 = 1 */ AND gsi1sk = 'dan' -- ;`,
    aliases("Dan"),
  ],
  () => [`SELECT alias FROM game.gsi1 WHERE (((gsi1pk = 'ROSTER#0') AND (alias = 'Dan')))`, aliases("Dan")],
  () => [`SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND alias = 'Dan'' OR 1 = 1 --'`, []],
  () => [`SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND alias = ?`, [], ["Dan' OR '1' = '1"]],
];

describe("a game master's statement", () => {
  it("finds what it asks for, and shows no more than that", async () => {
    const cast = await outbreak();
    let asked = 0;
    for (const honest of HONEST) {
      const [statement, expected, parameters] = honest(cast);
      expect(await items(cast.gm, statement, parameters), statement).toEqual(expected);
      asked += 1;
    }
    expect(asked).toBe(HONEST.length);
    expect(asked).toBeGreaterThanOrEqual(30);
  });

  it("comes in pages that are full unless they are the last, by a cursor of its own", async () => {
    const gm = await s.admin();
    for (let at = 0; at < 11; at += 1) await s.call("GET /admin/player_count/{url_id}", { as: gm });
    await s.call("POST /admin/pause_game/{url_id}", { as: gm });
    const statement = `SELECT sk FROM "game" WHERE pk = ? AND action = 'player_count'`;
    const parameters = ["LOGS#0"];
    const all = await items(gm, statement, parameters);
    expect(all).toHaveLength(11);
    const pages: unknown[][] = [];
    let cursor: string | null = null;
    do {
      const page: Result = await ask(gm, statement, {
        parameters,
        limit: 4,
        ...(cursor === null ? {} : { cursor }),
      });
      expect(page.status, page.text).toBe(200);
      pages.push(page.body.items);
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 3]);
    expect(pages.flat()).toEqual(all);
    // Another statement's, other parameters', tampered with.
    const own = (await ask(gm, statement, { parameters, limit: 4 })).body.next_cursor;
    for (const other of [
      { statement: `${statement} `, parameters, cursor: own },
      { statement, parameters: ["LOGS#1"], cursor: own },
      { statement, parameters, cursor: `${own}A` },
      { statement, parameters, cursor: "x" },
    ]) {
      const refused = await s.call(ROUTE, { as: gm, body: other });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
    }
    expect((await ask(gm, statement, { parameters, limit: 11 })).body.next_cursor).toBeNull();
    expect((await ask(gm, statement, { parameters, limit: 2, cursor: own })).body.items).toEqual(
      all.slice(4, 6),
    );
  });

  it("goes over the pages of many partitions in turn", async () => {
    const gm = await s.admin();
    const players = [await s.join("Ada"), await s.join("Ben"), await s.join("Cid")];
    const statement = `SELECT alias FROM "game" WHERE pk IN (?, ?, ?)`;
    const parameters = players.map(({ id }) => `PLAYER#${id}`);
    const first = (await ask(gm, statement, { parameters, limit: 2 })).body;
    const second = (await ask(gm, statement, { parameters, limit: 2, cursor: first.next_cursor })).body;
    const found = [...first.items, ...second.items].map(({ alias }) => alias);
    expect(found.toSorted()).toEqual(["Ada", "Ben", "Cid"]);
    expect(second.next_cursor).toBeNull();
  });

  it("is answered in the order that it asks for, or refused where the database does not keep it", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid"]) await s.join(alias);
    const ordered = (how: string, limit: number) =>
      ask(gm, `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' ORDER BY gsi1sk ${how}`, { limit });
    expect((await ordered("ASC", 10)).body.items).toEqual(aliases("Ada", "Ben", "Cid", "Game Master"));
    for (const limit of [1, 2, 10]) {
      const descending = await ordered("DESC", limit);
      if (descending.status === 200) {
        const expected = aliases("Game Master", "Cid", "Ben", "Ada").slice(0, limit);
        expect(descending.body.items).toEqual(expected);
      } else {
        expect(descending).toMatchObject({ status: 400, body: { errors: [{ path: "statement" }] } });
        expect(descending.body.detail).toContain("does not heed this ORDER BY");
      }
    }
  });

  it("must be of the right shape", async () => {
    const gm = await s.admin();
    const statement = `SELECT * FROM "game" WHERE pk = 'GAME'`;
    for (const [body, path] of [
      [{}, "statement"],
      [{ statement: "" }, "statement"],
      [{ statement: 5 }, "statement"],
      [{ statement: `${statement}${" ".repeat(8_192)}` }, "statement"],
      [{ statement, parameters: "GAME" }, "parameters"],
      [{ statement, parameters: { 0: "GAME" } }, "parameters"],
      [{ statement, limit: 0 }, "limit"],
      [{ statement, limit: 1_001 }, "limit"],
      [{ statement, limit: "5" }, "limit"],
      [{ statement, limit: 1.5 }, "limit"],
      [{ statement, cursor: 5 }, "cursor"],
      [{ statement, sql: statement }, "sql"],
    ] as const) {
      const refused = await s.call(ROUTE, { as: gm, body });
      expect(refused.status).toBe(400);
      expect(refused.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
    }
  });

  it("is a game master's alone", async () => {
    await s.admin();
    const ada = await s.join("Ada");
    const refused = await ask(ada, `SELECT * FROM "game" WHERE pk = 'GAME'`);
    expect(refused).toMatchObject({ status: 401, body: { code: "not_administrator" } });
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

describe("the statements of docs/api.md", () => {
  it("work as they stand, all five", async () => {
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
