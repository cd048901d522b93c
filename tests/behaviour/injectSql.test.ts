/**
 * Game masters' own statements, and those of docs/api.md: what they find and write, and that none reads a secret. Their
 * grammar, every way to name a secret, and their pages are in `tests/unit/partiql.test.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DatabaseBusy, StatementRejected } from "../../lib/dynamodb/errors.ts";
import { SECRET } from "../../lib/store/keys.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { SHARED_ENGINE } from "../support/engine.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment({ services: () => ({ injectSqlWrites: true }) });

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

it("statements find what they select, and nothing else, also those of docs/api.md", async () => {
  // Ada has tagged Ben with a note; Dan is human, and so could not be cured.
  const [gm, ada, ben] = await s.game("Ada", "Ben", "Dan");
  expect((await s.hunt(ada, ben, { note: "It's on the bridge" })).status).toBe(200);
  await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Dan" } });
  // Clauses and indexes that the statements of docs/api.md do not have.
  const STATEMENTS: [statement: string, expected: unknown, ...parameters: unknown[]][] = [
    [
      `SELECT kind ${INTERACTIONS} AND NOT kind = 'hunt' AND NOT (kind = 'corpsify') AND kind IS NOT MISSING`,
      [{ kind: "revive_zombie" }],
    ],
    [
      `SELECT note FROM "game" WHERE pk = ? AND contains(note, ?) AND note = 'It''s on the bridge'`,
      [{ note: "It's on the bridge" }],
      ...[`PLAYER#${ada.id}`, "bridge"],
    ],
    [`SELECT alias ${ROSTER} ORDER BY gsi1sk ASC`, aliases("Ada", "Ben", "Dan", "Game Master")],
    [
      `SELECT alias /* who */ FROM game.gsi2 WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '0' AND '9' -- ;`,
      expect.arrayContaining(aliases("Ada", "Ben")),
    ],
    [`SELECT alias ${ROSTER} AND alias = 'Dan'' OR 1 = 1 --'`, []],
  ];
  for (const [statement, expected, ...parameters] of STATEMENTS)
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
  // AWS's emulator knows DESC.
  if (SHARED_ENGINE === undefined)
    expect((await ask(gm, `SELECT alias ${ROSTER} ORDER BY gsi1sk DESC`)).body.detail).toMatch("DESC");
});

it("a cursor of a statement is valid for that statement and its parameters alone", async () => {
  const gm = await s.admin();
  for (let at = 0; at < 7; at += 1) await s.call("GET /admin/player_count/{url_id}", { as: gm });
  const asked = { statement: `SELECT sk FROM "game" WHERE pk = ?`, parameters: ["LOGS#0"], limit: 4 };
  const first = (await send(gm, asked)).body;
  const cursor = first.next_cursor;
  for (const other of [{ statement: `${asked.statement} ` }, { parameters: ["LOGS#1"] }])
    expect((await send(gm, { ...asked, ...other, cursor })).body.errors).toMatchObject([{ path: "cursor" }]);
  const rest = (await send(gm, { ...asked, limit: 50, cursor })).body;
  const all = await items(gm, asked.statement, asked.parameters);
  expect([...first.items, ...rest.items]).toEqual(all.slice(0, first.items.length + rest.items.length));
  expect([first.items.length, rest.next_cursor]).toEqual([4, null]);
});

it("statements insert, update and delete one item, on their conditions, and ignore an Idempotency-Key", async () => {
  const gm = await s.admin();
  const key = { pk: "NOTES#0", sk: "it's" };
  const statement = `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'it''s', 'text': ?, 'list': [1, TRUE, NULL, {'a': -2.5}]}`;
  const insert = () => send(gm, { statement, parameters: [{ note: ["JSON", 1e-7] }] }, "once");
  expect(await insert()).toMatchObject({ status: 200, body: { items: [], next_cursor: null } });
  const list = [1, true, null, { a: -2.5 }];
  expect(await s.store.db.get(key)).toEqual({ ...key, text: { note: ["JSON", 1e-7] }, list });
  const duplicate = await insert();
  expect([duplicate.status, duplicate.body.detail]).toEqual([400, expect.stringMatching(/duplicate/i)]);
  const where = `WHERE pk = 'NOTES#0' AND sk = ?`;
  const change = `SET text = 'new', rev = 8 SET list[0] = 7 REMOVE list[1]`;
  const update = `UPDATE "game" ${change} ${where} AND text.note[0] = 'JSON' RETURNING ALL NEW *`;
  const changed = { ...key, text: "new", rev: 8, list: [7, null, { a: -2.5 }] };
  expect((await ask(gm, update, "it's")).body.items).toEqual([changed]);
  expect((await ask(gm, update, "it's")).status).toBe(400);
  expect((await ask(gm, `UPDATE "game" SET text = 'x' ${where}`, "other")).status).toBe(400);
  expect(await s.store.db.get({ ...key, sk: "other" })).toBeUndefined();
  const remove = (rev: number) =>
    ask(gm, `DELETE FROM "game" ${where} AND rev = ${rev} RETURNING ALL OLD *`, "it's");
  expect((await remove(7)).status).toBe(400);
  expect((await remove(8)).body.items).toEqual([changed]);
  expect(await s.store.db.get(key)).toBeUndefined();
});

describe("a statement that tries to read a secret", () => {
  it.each([false, true])(
    "is rejected before it reaches the database; writing switched on: %s",
    async (writes) => {
      const gm = await s.admin();
      s.services.injectSqlWrites = writes;
      const own = `${SECRET}${gm.id}`;
      const execute = vi.spyOn(s.store.db, "execute");
      for (const [path, statement, ...parameters] of [
        ["parameters.0", `SELECT * FROM "game" WHERE pk = ?`, own],
        ["statement", `SELECT * FROM "game"."gsi1" WHERE gsi1pk IN ('ROSTER#0', '${SECRET}SUBSCRIPTIONS#0')`],
        ["statement", `UPDATE "game" SET x = 1 WHERE pk = '${own}' AND sk = 'X' RETURNING ALL OLD *`],
      ] as const)
        expect((await ask(gm, statement, ...parameters)).body.errors, statement).toMatchObject([{ path }]);
      const valid = await ask(gm, `DELETE FROM "game" WHERE pk = 'A' AND sk = 'B'`);
      if (!writes) expect(valid.body.detail).toContain("INJECT_SQL_WRITES");
      expect(execute).toHaveBeenCalledTimes(writes ? 1 : 0);
    },
  );

  it("is logged without its values, as every other statement", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await ask(gm, `SELECT alias FROM "game" WHERE pk = ? -- my note`, `PLAYER#${ada.id}`);
    await ask(gm, `SELECT * FROM "game" WHERE pk = 'SECRET#mine' OR pk = ?`, "my own");
    await send(gm, { nonsense: true });
    const logs = (await scan(s))
      .filter(({ pk, action }) => pk.startsWith("LOGS#") && action === "inject_sql")
      .toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    expect(logs.map(({ outcome, details }) => [outcome, details])).toEqual([
      ["done", { statement: `SELECT alias FROM "game" WHERE pk = ? --…`, items: 1 }],
      ["invalid_request", { statement: `SELECT * FROM "game" WHERE pk = '…' OR pk = ?` }],
      ["invalid_request", {}],
    ]);
  });
});

it.each([
  [new DatabaseBusy("throttled"), 503, "unavailable"],
  [new StatementRejected("Too many cooks"), 400, "invalid_request"],
  [new Error("inner workings"), 500, "internal"],
])("a statement is rejected when the database fails with %s", async (error, status, code) => {
  const gm = await s.admin();
  s.store.db.execute = () => Promise.reject(error);
  const { text, ...result } = await ask(gm, `SELECT * FROM "game" WHERE pk = 'GAME'`);
  expect(result).toMatchObject({ status, body: { code } });
  // Only the message of a rejected statement is passed on.
  expect(text.includes(error.message)).toBe(status === 400);
});
