/** No statement of a game master reads a secret, and none writes unless writing is switched on. */
import { describe, expect, it } from "vitest";
import { DatabaseBusy, StatementRejected } from "../../lib/dynamodb/errors.ts";
import { SECRET } from "../../lib/store/keys.ts";
import { testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

const ROUTE = "POST /admin/inject_sql/{url_id}";

let executed = 0;
let replacement: (() => Promise<{ items: Record<string, unknown>[]; next: undefined }>) | null = null;
const database: NonNullable<Parameters<typeof testEnvironment>[0]>["database"] = (usual) => ({
  ...usual,
  async execute(statement, options) {
    executed += 1;
    return replacement === null ? usual.execute(statement, options) : replacement();
  },
});

const HASH = "0123456789abcdef";

/** A game with secrets in it: a password, sessions, a recovery code, a stored answer and a subscription. */
const secrets = async (s: ReturnType<typeof testEnvironment>) => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  await s.call("POST /admin/recover_password/{url_id}", { as: gm, body: { alias: "Ada" } });
  await s.call("POST /edit_player/{url_id}", { as: ada, body: { first_name: "Augusta" }, key: "once" });
  const subscription = {
    pk: `${SECRET}${ada.id}`,
    sk: `SUBSCRIPTION#${HASH}`,
    gsi1pk: `${SECRET}SUBSCRIPTIONS#0`,
    gsi1sk: HASH,
    endpoint: "https://push.example.org/planted",
    p256dh: "planted-p256dh",
    auth: "planted-auth",
    player_id: ada.id,
  };
  await s.store.db.put(subscription);
  executed = 0;
  replacement = null;
  return { gm, ada };
};

/** Statements that try to read a secret of the player `ID`, one for each way; every rule is in `tests/unit/partiql.test.ts`. */
const HOSTILE: [statement: string, parameters?: unknown[]][] = [
  [`SELECT hash FROM "game" WHERE sk = 'CREDENTIAL' AND pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = ? AND sk = ?`, ["SECRET#ID", "SESSIONS"]],
  [`SELECT * FROM "game"."gsi1" WHERE gsi1pk IN ('ROSTER#0', 'SECRET#SUBSCRIPTIONS#0')`],
  [`SELECT * FROM "game" WHERE hash IS NOT MISSING`],
  [`EXISTS(SELECT * FROM "game" WHERE pk = 'SECRET#ID' AND begins_with(hash, '$argon2id$'))`],
  [`SELECT * FROM "game" WHERE pk = 'GAME'; SELECT * FROM "game"`],
  [`UPDATE "game" SET x = 1 WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL' RETURNING ALL OLD *`],
  [`SELECT * FROM "game" WHERE pk = 'GAME\\' OR sk = 'CREDENTIAL' -- '`],
  [`SELECT * FROM "game" WHERE pk = 'SE\u200bCRET#ID'`],
];

describe("a statement that tries to read a secret", () => {
  const s = testEnvironment({ database });

  it("would find some, were it sent to the database", async () => {
    const { ada } = await secrets(s);
    const planted = (await scan(s)).filter(({ pk }) => pk.startsWith(SECRET));
    expect(planted.length).toBeGreaterThanOrEqual(6);
    const read = async (where: string, value: string, index = "") => {
      const text = (table: string) => `SELECT * FROM "${table}"${index} WHERE ${where} = ?`;
      return (await s.store.db.execute({ text, parameters: [value] })).items;
    };
    expect(JSON.stringify(await read("pk", `${SECRET}${ada.id}`))).toContain("$argon2id$");
    expect(await read("gsi1pk", `${SECRET}SUBSCRIPTIONS#0`, `."gsi1"`)).toHaveLength(1);
    expect(executed).toBe(2);
  });

  it.each([false, true])(
    "is rejected before it reaches the database; writing switched on: %s",
    async (writes) => {
      const { gm, ada } = await secrets(s);
      s.services.injectSqlWrites = writes;
      const before = (await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"));
      for (const [template, given] of HOSTILE) {
        const statement = template.replaceAll("ID", ada.id);
        const parameters = given && JSON.parse(JSON.stringify(given).replaceAll("ID", ada.id));
        const body = parameters === undefined ? { statement } : { statement, parameters };
        const result = await s.call(ROUTE, { as: gm, body });
        expect(result, statement).toMatchObject({ status: 400, body: { code: "invalid_request" } });
        expect(result.body.errors[0].path, statement).toMatch(/^(statement|parameters(\.\d+)?)$/);
        expect(result.text, statement).not.toMatch(/argon2id\$v|planted/);
      }
      expect(executed).toBe(0);
      expect((await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"))).toEqual(before);
    },
  );

  it("is rejected for its result, should all checks before have failed", async () => {
    const { gm, ada } = await secrets(s);
    const statement = `SELECT alias FROM "game" WHERE pk = 'PLAYER#${ada.id}'`;
    for (const key of ["pk", "gsi1pk", "gsi2pk", "gsi3pk"]) {
      const item = { pk: "x", sk: "y", hash: "$argon2id$planted", [key]: `${SECRET}${ada.id}` };
      replacement = async () => ({ items: [{ pk: "x", sk: "x", alias: "Ada" }, item], next: undefined });
      const result = await s.call(ROUTE, { as: gm, body: { statement } });
      expect(result.status).toBe(400);
      expect(result.body.detail).toContain("would contain a secret");
      expect(result.text).not.toContain("planted");
    }
  });

  it("is logged without its values, as every other statement", async () => {
    const { gm, ada } = await secrets(s);
    const ask = (body: unknown) => s.call(ROUTE, { as: gm, body });
    await ask({
      statement: `SELECT alias FROM "game" WHERE pk = ? -- my note`,
      parameters: [`PLAYER#${ada.id}`],
    });
    await ask({
      statement: `SELECT * FROM "game" WHERE pk = 'SECRET#mine' OR pk = ?`,
      parameters: ["my own"],
    });
    await ask({ statement: "x ".repeat(3_000) });
    await ask({ nonsense: true });
    const logs = (await scan(s))
      .filter(({ pk, action }) => pk.startsWith("LOGS#") && action === "inject_sql")
      .toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    expect(logs.map(({ outcome, details }) => [outcome, details])).toEqual([
      ["done", { statement: `SELECT alias FROM "game" WHERE pk = ? --…`, items: 1 }],
      ["invalid_request", { statement: `SELECT * FROM "game" WHERE pk = '…' OR pk = ?` }],
      ["invalid_request", { statement: "x ".repeat(1_000) }],
      ["invalid_request", {}],
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/PLAYER#|my note|my own|SECRET#/);
  });
});

describe("a statement that the database cannot run", () => {
  const s = testEnvironment({ database });

  it("is 503 when it is busy, 400 with its message when it rejects it, and 500 without when it fails", async () => {
    const { gm } = await secrets(s);
    const ask = async (error: Error) => {
      replacement = () => Promise.reject(error);
      return s.call(ROUTE, { as: gm, body: { statement: `SELECT * FROM "game" WHERE pk = 'GAME'` } });
    };
    const busy = await ask(new DatabaseBusy("throttled"));
    expect(busy).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(busy.headers["retry-after"]).toMatch(/^\d+$/);
    const rejected = await ask(new StatementRejected("Too many cooks"));
    expect(rejected.body).toMatchObject({
      status: 400,
      errors: [{ path: "statement", message: "Too many cooks" }],
    });
    const broken = await ask(new Error("inner workings"));
    expect(broken).toMatchObject({ status: 500, body: { code: "internal" } });
    expect(broken.text).not.toContain("inner workings");
  });
});

describe("writing, where it is switched on", () => {
  const s = testEnvironment({ database, services: () => ({ injectSqlWrites: true }) });

  it("ignores an Idempotency-Key, and has no pages", async () => {
    const { gm } = await secrets(s);
    const body = { statement: `INSERT INTO "game" VALUE {'pk': 'NOTES#0', 'sk': 'a'}` };
    expect((await s.call(ROUTE, { as: gm, body, key: "k" })).status).toBe(200);
    expect((await s.call(ROUTE, { as: gm, body, key: "k" })).status).toBe(400);
    const read = { statement: `SELECT * FROM "game" WHERE pk = 'LOGS#0'`, limit: 1 };
    const { next_cursor } = (await s.call(ROUTE, { as: gm, body: read })).body;
    expect(next_cursor).toBeTypeOf("string");
    const paged = await s.call(ROUTE, { as: gm, body: { ...body, cursor: next_cursor } });
    expect(paged.body.errors).toMatchObject([{ path: "cursor" }]);
  });
});

describe("writing, where it is not switched on", () => {
  const s = testEnvironment({ database });

  it("is rejected with the name of the setting", async () => {
    const { gm } = await secrets(s);
    for (const statement of [
      `INSERT INTO "game" VALUE {'pk': 'A', 'sk': 'B'}`,
      `UPDATE "game" SET a = 1 WHERE pk = 'GAME' AND sk = 'STATE'`,
      `DELETE FROM "game" WHERE pk = 'GAME' AND sk = 'STATE'`,
    ]) {
      const { status, body } = await s.call(ROUTE, { as: gm, body: { statement } });
      expect(status).toBe(400);
      expect(body.detail).toContain("INJECT_SQL_WRITES");
    }
    expect(executed).toBe(0);
  });
});
