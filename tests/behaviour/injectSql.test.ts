/** Game masters' own statements: what they find and write, those of docs/api.md, and that none reads a secret. Their grammar and pages are in `tests/unit/partiql.test.ts`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DatabaseBusy, StatementRejected } from "../../lib/dynamodb/errors.ts";
import { SECRET } from "../../lib/store/keys.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

let executed = 0;
let replacement: (() => Promise<{ items: Record<string, unknown>[]; next: undefined }>) | null = null;
const s = testEnvironment({
  services: () => ({ injectSqlWrites: true }),
  database: (usual) => ({
    ...usual,
    async execute(statement, options) {
      executed += 1;
      return replacement === null ? usual.execute(statement, options) : replacement();
    },
  }),
});
beforeEach(() => {
  [executed, replacement] = [0, null];
});

const send = (as: TestPlayer, body: unknown, key?: string): Promise<Result> =>
  s.call("POST /admin/inject_sql/{url_id}", { as, body, key });
const ask = (gm: TestPlayer, statement: string, ...parameters: unknown[]): Promise<Result> =>
  send(gm, { statement, parameters });

const items = async (gm: TestPlayer, statement: string, parameters: unknown[] = []) => {
  const { status, body, text } = await ask(gm, statement, ...parameters);
  expect(status, `${statement}: ${text}`).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(["items", "next_cursor"]);
  return body.items;
};

const aliases = (...names: string[]) => names.map((alias) => ({ alias }));
const like = (one: object) => expect.objectContaining(one);
const ROSTER = `FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'`;
const INTERACTIONS = `FROM "game" WHERE pk = 'INTERACTIONS#0'`;

it("find what they select, and nothing else, also those of docs/api.md", async () => {
  // Ada has tagged Ben with a note; Dan is human, and so could not be cured.
  const [gm, ada, ben, dan] = await s.game("Ada", "Ben", "Dan");
  expect((await s.hunt(ada, ben, { note: "It's on the bridge" })).status).toBe(200);
  await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Dan" } });
  // One statement for each clause and index that the engine has to understand.
  const STATEMENTS: [statement: string, expected: unknown, parameters?: unknown[]][] = [
    [
      `SELECT alias FROM "game" WHERE pk IN (?, 'PLAYER#${dan.id}') AND state = 'human'`,
      aliases("Dan"),
      [`PLAYER#${ada.id}`],
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
    [`SELECT alias ${ROSTER} ORDER BY gsi1sk ASC`, aliases("Ada", "Ben", "Dan", "Game Master")],
    [`SELECT alias ${ROSTER} AND has_pfp = FALSE AND state <> 'zombie'`, aliases("Dan", "Game Master")],
    [
      `SELECT alias FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '0' AND '9'`,
      expect.arrayContaining(aliases("Ada", "Ben")),
    ],
    [
      `SELECT alias FROM game.gsi3 WHERE gsi3pk = 'KILLS#0' AND deadline > -1.5e3 AND kills >= 1`,
      aliases("Ada"),
    ],
    [
      `/* who */ SELECT alias -- by name\r\nFROM game.gsi1\n\tWHERE (gsi1pk = 'ROSTER#0') /* OR 1 = 1 */ AND gsi1sk = 'dan' -- ;`,
      aliases("Dan"),
    ],
    [`SELECT alias ${ROSTER} AND alias = 'Dan'' OR 1 = 1 --'`, []],
  ];
  for (const [statement, expected, parameters] of STATEMENTS)
    expect(await items(gm, statement, parameters), statement).toEqual(expected);

  await s.must("POST /edit_player/{url_id}", { as: ada, body: { email: "ada@example.org" } });
  const document = readFileSync(join(ROOT, "docs/api.md"), "utf8");
  const [, block = ""] = /<!-- statements[^\n]*\n```sql\n([\s\S]*?)```/.exec(document) ?? [];
  const found = [];
  for (const statement of block.trim().split(/\n\n/)) found.push(await items(gm, statement));
  expect(found).toEqual([
    [{ player_id: ada.id }],
    [like({ alias: "Ben" })],
    [like({ alias: "Ada", kills: 1 })],
    [{ at: expect.any(String), actor: ada.id, target: ben.id }],
    [like({ actor: gm.id, action: "cure", outcome: "wrong_state" })],
  ]);
});

it("have cursors that are valid for this statement alone", async () => {
  const gm = await s.admin();
  for (let at = 0; at < 7; at += 1) await s.call("GET /admin/player_count/{url_id}", { as: gm });
  await s.call("POST /admin/pause_game/{url_id}", { as: gm });
  const statement = `SELECT sk FROM "game" WHERE pk = ? AND action = 'player_count'`;
  const parameters = ["LOGS#0"];
  const all = await items(gm, statement, parameters);
  expect(all).toHaveLength(7);
  const { next_cursor: cursor } = (await send(gm, { statement, parameters, limit: 4 })).body;
  for (const other of [
    { statement: `${statement} `, parameters, cursor },
    { statement, parameters: ["LOGS#1"], cursor },
    { statement, parameters, cursor: `${cursor}A` },
    { statement: `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'a'}`, cursor },
  ]) {
    expect(await send(gm, other)).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
  }
  expect((await send(gm, { statement, parameters, limit: 7 })).body.next_cursor).toBeNull();
  expect((await send(gm, { statement, parameters, limit: 2, cursor })).body.items).toEqual(all.slice(4, 6));
});

describe("writing, where it is switched on,", () => {
  it("inserts, updates and deletes one item, on its conditions, and ignores an Idempotency-Key", async () => {
    const gm = await s.admin();
    const key = { pk: "NOTES#0", sk: "it's" };
    const statement = `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'it''s', 'text': ?, 'list': [1, TRUE, NULL, {'a': -2.5}]}`;
    const insert = () => send(gm, { statement, parameters: [{ note: ["JSON", 1e-7] }] }, "once");
    expect(await insert()).toMatchObject({ status: 200, body: { items: [], next_cursor: null } });
    const list = [1, true, null, { a: -2.5 }];
    expect(await s.store.db.get(key)).toEqual({ ...key, text: { note: ["JSON", 1e-7] }, list });
    const twice = await insert();
    expect(twice).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(twice.body.detail).toMatch(/duplicate/i);

    const where = `WHERE pk = 'NOTES#0' AND sk = ?`;
    const updated = await ask(
      gm,
      `UPDATE "game" SET text = 'new', rev = 8 SET list[0] = 7 REMOVE list[1] ${where} AND text.note[0] = 'JSON' RETURNING ALL NEW *`,
      "it's",
    );
    expect(updated.body.items).toEqual([{ ...key, text: "new", rev: 8, list: [7, null, { a: -2.5 }] }]);
    for (const [stale, sk] of [
      [`UPDATE "game" SET text = 'x' ${where} AND rev = 7`, "it's"],
      [`UPDATE "game" SET text = 'x' ${where}`, "other"],
      [`DELETE FROM "game" ${where} AND rev = 7`, "it's"],
    ] as const) {
      expect((await ask(gm, stale, sk)).status, stale).toBe(400);
    }
    expect(await s.store.db.get({ ...key, sk: "other" })).toBeUndefined();
    const deleted = await ask(gm, `DELETE FROM "game" ${where} AND rev = 8 RETURNING ALL OLD *`, "it's");
    expect(deleted.body.items).toMatchObject([{ text: "new" }]);
    expect(await s.store.db.get(key)).toBeUndefined();
  });

  it("may make a zombie of a state alone: a corpse in every list, who can be revived", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const where = `WHERE pk = 'PLAYER#${ben.id}' AND sk = 'PROFILE'`;
    expect((await ask(gm, `UPDATE "game" SET state = 'zombie' ${where}`)).status).toBe(200);
    for (const [route, field] of [
      ["GET /users/{url_id}", "users"],
      ["GET /admin/get_players/{url_id}", "players"],
    ] as const) {
      const { body } = await s.must(route, { as: gm });
      expect(body[field]).toContainEqual(like({ alias: "Ben", state: "corpse" }));
    }
    expect(await s.see(ben)).toMatchObject({ state: "corpse", starves_at: null });
    expect((await s.hunt(ben, ada)).body.code).toBe("wrong_state");
    await s.must("POST /admin/revive_z/{url_id}", { as: gm, body: { player_id: ben.id } });
    expect(await s.see(ben)).toMatchObject({ state: "zombie", starves_at: expect.any(String) });
  });
});

describe("a statement that tries to read a secret", () => {
  it.each([false, true])(
    "is rejected before it reaches the database; writing switched on: %s",
    async (writes) => {
      const [gm, ada] = [await s.admin(), await s.join("Ada")];
      s.services.injectSqlWrites = writes;
      const before = (await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"));
      const own = `${SECRET}${ada.id}`;
      // One for each way.
      const HOSTILE: [statement: string, ...parameters: unknown[]][] = [
        [`SELECT hash FROM "game" WHERE sk = 'CREDENTIAL' AND pk = '${own}'`],
        [`SELECT * FROM "game" WHERE pk = ? AND sk = ?`, own, "SESSIONS"],
        [`SELECT * FROM "game"."gsi1" WHERE gsi1pk IN ('ROSTER#0', 'SECRET#SUBSCRIPTIONS#0')`],
        [`SELECT * FROM "game" WHERE hash IS NOT MISSING`],
        [`EXISTS(SELECT * FROM "game" WHERE pk = '${own}' AND begins_with(hash, '$argon2id$'))`],
        [`SELECT * FROM "game" WHERE pk = 'GAME'; SELECT * FROM "game"`],
        [`UPDATE "game" SET x = 1 WHERE pk = '${own}' AND sk = 'CREDENTIAL' RETURNING ALL OLD *`],
        [`SELECT * FROM "game" WHERE pk = 'GAME\\' OR sk = 'CREDENTIAL' -- '`],
      ];
      for (const [statement, ...parameters] of HOSTILE) {
        const result = await ask(gm, statement, ...parameters);
        expect(result, statement).toMatchObject({ status: 400, body: { code: "invalid_request" } });
        expect(result.body.errors[0].path, statement).toMatch(/^(statement|parameters(\.\d+)?)$/);
      }
      const valid = await ask(gm, `DELETE FROM "game" WHERE pk = 'A' AND sk = 'B'`);
      if (!writes) expect(valid.body.detail).toContain("INJECT_SQL_WRITES");
      expect(executed).toBe(writes ? 1 : 0);
      expect((await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"))).toEqual(before);
    },
  );

  it("is rejected for its result, should all checks before have failed", async () => {
    const gm = await s.admin();
    for (const key of ["pk", "gsi1pk", "gsi2pk", "gsi3pk"]) {
      const item = { pk: "x", sk: "y", hash: "$argon2id$planted", [key]: `${SECRET}${gm.id}` };
      replacement = async () => ({ items: [{ pk: "x", sk: "x", alias: "Ada" }, item], next: undefined });
      const result = await ask(gm, `SELECT alias FROM "game" WHERE pk = 'PLAYER#1'`);
      expect(result.status).toBe(400);
      expect(result.body.detail).toContain("would contain a secret");
      expect(result.text).not.toContain("planted");
    }
  });

  it("is logged without its values, as every other statement", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await ask(gm, `SELECT alias FROM "game" WHERE pk = ? -- my note`, `PLAYER#${ada.id}`);
    await ask(gm, `SELECT * FROM "game" WHERE pk = 'SECRET#mine' OR pk = ?`, "my own");
    await ask(gm, "x ".repeat(3_000));
    await send(gm, { nonsense: true });
    const logs = (await scan(s))
      .filter(({ pk, action }) => pk.startsWith("LOGS#") && action === "inject_sql")
      .toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    expect(logs.map(({ outcome, details }) => [outcome, details])).toEqual([
      ["done", { statement: `SELECT alias FROM "game" WHERE pk = ? --…`, items: 1 }],
      ["invalid_request", { statement: `SELECT * FROM "game" WHERE pk = '…' OR pk = ?` }],
      ["invalid_request", { statement: "x ".repeat(1_000) }],
      ["invalid_request", {}],
    ]);
  });
});

it("are 503 when the database is busy, 400 with its message when it rejects them, and 500 without when it fails", async () => {
  const gm = await s.admin();
  const failing = (error: Error) => {
    replacement = () => Promise.reject(error);
    return ask(gm, `SELECT * FROM "game" WHERE pk = 'GAME'`);
  };
  const busy = await failing(new DatabaseBusy("throttled"));
  expect(busy).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(busy.headers["retry-after"]).toMatch(/^\d+$/);
  const rejected = await failing(new StatementRejected("Too many cooks"));
  const errors = [{ path: "statement", message: "Too many cooks" }];
  expect(rejected).toMatchObject({ status: 400, body: { errors } });
  const broken = await failing(new Error("inner workings"));
  expect(broken).toMatchObject({ status: 500, body: { code: "internal" } });
  expect(broken.text).not.toContain("inner workings");
});
