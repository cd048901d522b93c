/** Secrets and game masters' statements: none is read, whatever is asked; and writing, where it is switched on. */
import { describe, expect, it } from "vitest";
import { DatabaseBusy, StatementRefused } from "../../../lib/dynamodb/errors.ts";
import { keys, SECRET } from "../../../lib/store/keys.ts";
import { type Someone, testEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

const ROUTE = "POST /admin/inject_sql/{url_id}";

let executed = 0;
let inTheWay: (() => Promise<{ items: Record<string, unknown>[]; next: undefined }>) | null = null;
const database: NonNullable<Parameters<typeof testEnvironment>[0]>["database"] = (usual) => ({
  ...usual,
  async execute(statement, options) {
    executed += 1;
    return inTheWay === null ? usual.execute(statement, options) : inTheWay();
  },
});

const HASH = "0123456789abcdef";

/** A game with secrets in it: a password, sessions, a recovery code, a stored answer and a subscription. */
const secrets = async (s: ReturnType<typeof testEnvironment>) => {
  const gm = await s.admin();
  const ada = await s.join("Ada");
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
  inTheWay = null;
  return { gm, ada };
};

/** Statements that try to read a secret; `ID` stands for the id of a player who has some. */
const HOSTILE: [statement: string, parameters?: unknown[]][] = [
  // plainly
  [`SELECT * FROM "game" WHERE pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL'`],
  [`SELECT hash FROM "game" WHERE sk = 'CREDENTIAL' AND pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = ?`, ["SECRET#ID"]],
  [`SELECT * FROM "game" WHERE pk = ? AND sk = ?`, ["SECRET#ID", "SESSIONS"]],
  [`SELECT * FROM "game" WHERE "pk" = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SECRET#ONCE#ID#once'`],
  [`SELECT * FROM "game"."gsi1" WHERE gsi1pk = 'SECRET#SUBSCRIPTIONS#0'`],
  [`SELECT endpoint, p256dh, auth FROM "game"."gsi1" WHERE "gsi1pk" = ?`, ["SECRET#SUBSCRIPTIONS#0"]],
  [`SELECT * FROM "game"."gsi1" WHERE gsi1pk IN ('ROSTER#0', 'SECRET#SUBSCRIPTIONS#0')`],
  // by scans
  [`SELECT * FROM "game"`],
  [`SELECT * FROM "game" WHERE sk = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE sk IN ('CREDENTIAL', 'SESSIONS', 'RECOVERY')`],
  [`SELECT * FROM "game" WHERE hash IS NOT MISSING`],
  [`SELECT * FROM "game" WHERE contains(hash, 'argon2id')`],
  [`SELECT * FROM "game"."gsi1"`],
  [`SELECT * FROM "game"."gsi1" WHERE gsi1sk = '${HASH}'`],
  [`SELECT * FROM "game"."gsi1" WHERE auth <> ''`],
  [`SELECT * FROM "game"."gsi1" WHERE pk = 'SECRET#ID'`],
  [`SELECT * FROM "game"."gsi2" WHERE gsi1pk = 'ROSTER#0'`],
  [`SELECT * FROM "game" WHERE gsi1pk = 'ROSTER#0'`],
  [`SELECT * FROM "game" ORDER BY pk`],
  // in lists
  [`SELECT * FROM "game" WHERE pk IN ('PLAYER#ID', 'SECRET#ID')`],
  [`SELECT * FROM "game" WHERE pk IN ['PLAYER#ID', 'SECRET#ID']`],
  [`SELECT * FROM "game" WHERE pk IN (?, ?)`, ["PLAYER#ID", "SECRET#ID"]],
  [`SELECT * FROM "game" WHERE pk IN ?`, [["PLAYER#ID", "SECRET#ID"]]],
  [`SELECT * FROM "game" WHERE pk IN (SELECT pk FROM "game")`],
  [`SELECT * FROM "game" WHERE pk NOT IN ('PLAYER#ID')`],
  // by OR, NOT and parentheses
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' OR sk = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' OR 1 = 1`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' AND sk = 'PROFILE' OR sk = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE (pk = 'PLAYER#ID' OR sk = 'CREDENTIAL')`],
  [`SELECT * FROM "game" WHERE (pk = 'PLAYER#ID' OR sk = 'CREDENTIAL') AND sk <> 'x'`],
  [`SELECT * FROM "game" WHERE ((pk = 'PLAYER#ID') OR ((sk = 'SESSIONS')))`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' AND (sk = 'PROFILE' OR pk > 'S')`],
  [`SELECT * FROM "game" WHERE NOT pk = 'PLAYER#ID'`],
  [`SELECT * FROM "game" WHERE NOT (pk <> 'SECRET' AND pk = 'GAME')`],
  [`SELECT * FROM "game" WHERE pk <> 'GAME'`],
  [`SELECT * FROM "game" WHERE pk > 'SECRET' AND pk < 'SECRETT'`],
  [`SELECT * FROM "game" WHERE pk BETWEEN 'SECRET' AND 'SECRETT'`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' AND pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' AND NOT pk = 'PLAYER#ID'`],
  // by functions, as an oracle
  [`SELECT * FROM "game" WHERE begins_with(pk, 'SECRET')`],
  [`SELECT * FROM "game" WHERE begins_with("pk", ?)`, ["SEC"]],
  [`SELECT * FROM "game" WHERE contains(pk, 'ECRET')`],
  [`SELECT * FROM "game" WHERE size(pk) = 43 AND begins_with(hash, '$argon2id$')`],
  [`SELECT * FROM "game" WHERE attribute_type(hash, 'S')`],
  [`SELECT * FROM "game" WHERE attribute_exists(hash)`],
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#ID' AND EXISTS(SELECT * FROM "game" WHERE pk = 'GAME')`],
  [`EXISTS(SELECT * FROM "game" WHERE pk = 'SECRET#ID' AND begins_with(hash, '$argon2id$'))`],
  [`SELECT count(*) FROM "game"`],
  [`SELECT * FROM "game" WHERE 'SECRET#' || 'ID' = pk`],
  [`SELECT * FROM "game" WHERE pk = 'SEC' || 'RET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SEC' 'RET#ID'`],
  [`SELECT * FROM "game" WHERE pk = concat('SEC', 'RET#ID')`],
  [`SELECT * FROM "game" WHERE pk = upper('secret#ID')`],
  // by joins, unions, batches and other statements
  [`SELECT * FROM "game" a, "game" b WHERE a.pk = 'GAME'`],
  [`SELECT * FROM "game" AS g WHERE g.pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" JOIN "game" ON pk = pk WHERE pk = 'GAME'`],
  [`SELECT * FROM (SELECT * FROM "game") WHERE pk = 'GAME'`],
  [`SELECT (SELECT * FROM "game" WHERE sk = 'CREDENTIAL') FROM "game" WHERE pk = 'GAME'`],
  [`SELECT * FROM "game" WHERE pk = 'GAME' UNION SELECT * FROM "game"`],
  [`SELECT * FROM "game" WHERE pk = 'GAME' UNION ALL SELECT * FROM "game" WHERE pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'GAME'; SELECT * FROM "game"`],
  [`SELECT * FROM "game" WHERE pk = 'GAME';`],
  [`INSERT INTO "game" SELECT * FROM "game"`],
  [`INSERT INTO "game" VALUE {'pk': 'SECRET#ID', 'sk': 'CREDENTIAL', 'hash': 'mine'}`],
  [`UPDATE "game" SET pk = 'GAME' WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL'`],
  [`UPDATE "game" SET x = 1 WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL' RETURNING ALL OLD *`],
  [`DELETE FROM "game" WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL' RETURNING ALL OLD *`],
  [`DELETE FROM "game" WHERE pk = 'SECRET#ID' AND sk = 'CREDENTIAL' AND begins_with(hash, '$a')`],
  // by comments
  [`SELECT * FROM "game" -- WHERE pk = 'GAME'`],
  [`SELECT * FROM "game" /* WHERE pk = 'GAME' */`],
  [`SELECT * FROM "game" WHERE /* pk = 'GAME' AND */ sk = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE pk = 'GAME' -- '\n OR pk = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = /* 'GAME' */ 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SEC/**/RET#ID' OR pk = 'SECRET#ID' /*`],
  [`SELECT * FROM "game" WHERE pk = 'GAME' /* /* */ OR sk = 'CREDENTIAL' -- */`],
  [`SELECT * FROM "game" WHERE sk = 'CREDENTIAL' --' AND pk = 'GAME'`],
  // by quotes and escapes
  [`SELECT * FROM "game" WHERE pk = 'GAME'' OR pk = ''SECRET#ID`],
  [`SELECT * FROM "game" WHERE pk = 'GAME\\' OR sk = 'CREDENTIAL' -- '`],
  [`SELECT * FROM "game" WHERE pk = "SECRET#ID"`],
  [`SELECT * FROM "game" WHERE "pk" = 'GAME' OR "sk" = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE "pk = 'GAME' AND sk" = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE "pk"" = 'GAME' OR ""sk" = 'x'`],
  [`SELECT * FROM "game" WHERE pk = \`SECRET#ID\``],
  [`SELECT * FROM "game" WHERE pk = E'SECRET\\x23ID'`],
  [`SELECT * FROM "game" WHERE pk = U&'SECRET\\0023ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SECRET\\u0023ID' OR sk = 'SESSIONS'`],
  [`SELECT * FROM "game".pk WHERE pk = 'SECRET#ID'`],
  // by other letters
  [`SELECT * FROM "game" WHERE pk = 'ＳＥＣＲＥＴ＃ID'`],
  [`SELECT * FROM "game" WHERE pk = 'ЅЕСRЕТ#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'SE\u200bCRET#ID'`],
  [`SELECT * FROM "game" WHERE pk = 'secret#ID'`],
  [`SELECT * FROM "game" WHERE pk = '\u0000SECRET#ID'`],
  [`SELECT * FROM "game" WHERE pk\u00a0=\u00a0'GAME'`],
  [`SELECT * FROM "game" WHERE ｐｋ = 'SECRET#ID'`],
  [`SELECT * FROM "game" WHERE "PK" = 'GAME'`],
  [`SELECT * FROM "gаme" WHERE pk = 'GAME'`],
  [`SELECT * FROM "game "."gsi1" WHERE gsi1pk = 'ROSTER#0'`],
  [`SELECT * FROM "zombie-game-local" WHERE pk = 'GAME'`],
  // by keys of another type, and parameters too few or too many
  [`SELECT * FROM "game" WHERE pk = ?`, [{ S: "SECRET#ID" }]],
  [`SELECT * FROM "game" WHERE pk = ?`, [["SECRET#ID"]]],
  [`SELECT * FROM "game" WHERE pk = ?`, [1]],
  [`SELECT * FROM "game" WHERE pk = NULL OR sk = 'CREDENTIAL'`],
  [`SELECT * FROM "game" WHERE pk = TRUE`],
  [`SELECT * FROM "game" WHERE pk = ?`, []],
  [`SELECT * FROM "game" WHERE pk = 'GAME'`, ["SECRET#ID"]],
  [`SELECT * FROM "game" WHERE pk = ? AND sk = 'STATE'`, ["GAME", "SECRET#ID"]],
  [`SELECT * FROM "game" WHERE pk = 'GAME' AND x = ?`, [{ deep: [{ deeper: "SECRET#ID" }] }]],
  [`SELECT * FROM "game" WHERE pk = pk`],
  [`SELECT * FROM "game" WHERE pk = sk`],
];

describe("a statement that tries to read a secret", () => {
  const s = testEnvironment({ database });

  it("would find some: they are there, and the database itself gives them", async () => {
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
    "is refused before it reaches the database; writing switched on: %s",
    async (writes) => {
      const { gm, ada } = await secrets(s);
      s.services.injectSqlWrites = writes;
      const before = (await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"));
      let refused = 0;
      for (const [template, given] of HOSTILE) {
        const statement = template.replaceAll("ID", ada.id);
        const parameters = given && JSON.parse(JSON.stringify(given).replaceAll("ID", ada.id));
        const body = parameters === undefined ? { statement } : { statement, parameters };
        const result = await s.call(ROUTE, { as: gm, body });
        expect(result, statement).toMatchObject({ status: 400, body: { code: "invalid_request" } });
        expect(result.body.errors[0].path, statement).toMatch(/^(statement|parameters(\.\d+)?)$/);
        expect(result.text, statement).not.toMatch(/argon2id\$v|planted/);
        refused += 1;
      }
      expect(executed).toBe(0);
      expect(refused).toBe(HOSTILE.length);
      expect(refused).toBeGreaterThanOrEqual(60);
      expect((await scan(s)).filter(({ pk }) => !pk.startsWith("LOGS#"))).toEqual(before);
    },
  );

  it("is stopped by its answer, should everything before have failed", async () => {
    const { gm, ada } = await secrets(s);
    const statement = `SELECT alias FROM "game" WHERE pk = 'PLAYER#${ada.id}'`;
    for (const key of ["pk", "gsi1pk", "gsi2pk", "gsi3pk"]) {
      const item = { pk: "x", sk: "y", hash: "$argon2id$planted", [key]: `${SECRET}${ada.id}` };
      inTheWay = async () => ({ items: [{ pk: "x", sk: "x", alias: "Ada" }, item], next: undefined });
      const result = await s.call(ROUTE, { as: gm, body: { statement } });
      expect(result.status).toBe(400);
      expect(result.body.detail).toContain("would hold a secret");
      expect(result.text).not.toContain("planted");
    }
  });

  it("is logged without what it asked for, as every other statement", async () => {
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

describe("a database that does not answer a statement", () => {
  const s = testEnvironment({ database });

  it("for being busy is 503; for refusing it 400 with its words; for a fault 500 without", async () => {
    const { gm } = await secrets(s);
    const ask = async (error: Error) => {
      inTheWay = () => Promise.reject(error);
      return s.call(ROUTE, { as: gm, body: { statement: `SELECT * FROM "game" WHERE pk = 'GAME'` } });
    };
    const busy = await ask(new DatabaseBusy("throttled"));
    expect(busy).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(busy.headers["retry-after"]).toMatch(/^\d+$/);
    const refused = await ask(new StatementRefused("Too many cooks"));
    expect(refused.body).toMatchObject({
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
  const write = (gm: Someone, statement: string, parameters: unknown[] = []) =>
    s.call(ROUTE, { as: gm, body: { statement, parameters } });

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

  it("is one item's: whole partitions, keys and indexes stay as they are", async () => {
    const { gm, ada } = await secrets(s);
    const before = await s.store.db.get(keys.player(ada.id));
    for (const statement of [
      `UPDATE "game" SET alias = 'x' WHERE pk = 'PLAYER#${ada.id}'`,
      `UPDATE "game" SET alias = 'x' WHERE pk IN ('PLAYER#${ada.id}') AND sk = 'PROFILE'`,
      `UPDATE "game" SET alias = 'x' WHERE pk = 'PLAYER#${ada.id}' AND sk > 'A'`,
      `UPDATE "game" SET gsi1pk = 'ROSTER#9' WHERE pk = 'PLAYER#${ada.id}' AND sk = 'PROFILE'`,
      `UPDATE "game" REMOVE gsi1sk WHERE pk = 'PLAYER#${ada.id}'`,
      `UPDATE "game"."gsi1" SET alias = 'x' WHERE gsi1pk = 'ROSTER#0' AND gsi1sk = 'ada'`,
      `DELETE FROM "game" WHERE pk = 'PLAYER#${ada.id}'`,
      `DELETE FROM "game" WHERE pk = 'PLAYER#${ada.id}' AND (sk = 'PROFILE' OR sk = 'PICTURE')`,
      `DELETE FROM "game"`,
    ]) {
      expect((await write(gm, statement)).status, statement).toBe(400);
    }
    expect(executed).toBe(0);
    expect(await s.store.db.get(keys.player(ada.id))).toEqual(before);
  });
});

describe("writing, where it is not switched on", () => {
  const s = testEnvironment({ database });

  it("is refused, and says which setting is meant", async () => {
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
