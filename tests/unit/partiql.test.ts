/** Game masters' PartiQL statements: tokens, validation, what is sent to the database, and its pages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import type { Database, Item } from "../../lib/dynamodb/database.ts";
import { execute, type Position } from "../../lib/partiql/execute.ts";
import { toJson } from "../../lib/partiql/json.ts";
import { redact } from "../../lib/partiql/redact.ts";
import { render } from "../../lib/partiql/render.ts";
import { holdsSecretName, isSecret, namesSecret } from "../../lib/partiql/secrets.ts";
import { validate } from "../../lib/partiql/validate.ts";
import { anyCharacter } from "../support/codePoints.ts";
import { errorOf } from "./support.ts";

const readOnly = { writes: false };
const writing = { writes: true };

const rendered = (source: string, parameters: unknown[] = [], rules = readOnly) => {
  const { text, parameters: given, hidden, consistent } = render(validate(source, parameters, rules));
  expect(text('a"b"')).toBe(text("t").replace('"t"', '"a""b"""'));
  return { text: text("t"), parameters: given, hidden, consistent };
};

// Statements that write are in tests/behaviour/injectSql.test.ts.
describe("a valid statement is rendered anew", () => {
  // The condition after `SELECT * FROM "game" WHERE`, its parameters, and both as they are sent.
  it.each<[string, unknown[], string, unknown[]]>([
    ["(((pk = ?)))", ["GAME"], `"pk" = ?`, ["GAME"]],
    ["pk IN ('a', ?) AND sk > 'x''y'", ["b"], `"pk" IN [?, ?] AND "sk" > ?`, ["a", "b", "x'y"]],
    [
      "pk IN [?] AND (kind = 'hunt' OR x = -2.5E+1 AND NOT begins_with(sk, 'b')) AND (x = 1 AND y != 2)",
      ["a"],
      `"pk" IN [?] AND ("kind" = ? OR ("x" = ? AND NOT (begins_with("sk", ?)))) AND "x" = ? AND "y" <> ?`,
      ["a", "hunt", -25, "b", 1, 2],
    ],
    [
      `pk = 'a' AND details.list[0]."x-y" IS NOT MISSING AND c = [1, {'d': TRUE}] AND Size(x) > ? ORDER BY sk DESC, pk`,
      [3],
      `"pk" = ? AND "details"."list"[0]."x-y" IS NOT MISSING AND "c" = ? AND size("x") > ? ORDER BY "sk" DESC, "pk" ASC`,
      ["a", [1, { d: true }], 3],
    ],
  ])("%s", (condition, parameters, text, values) => {
    const sent = { text: `SELECT * FROM "t" WHERE ${text}`, parameters: values, hidden: [] };
    for (const source of ['SELECT * FROM "game" WHERE', "select * -- all\nfrom /* the */ game where"])
      expect(rendered(`${source} ${condition}`, parameters)).toMatchObject(sent);
  });

  it("with the hidden keys by which a secret is recognized", () => {
    expect(rendered(`SELECT alias, details.x[1], alias FROM "game" WHERE pk = 'a'`)).toEqual({
      text: `SELECT "alias", "details"."x"[1], "pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk" FROM "t" WHERE "pk" = ?`,
      ...{ parameters: ["a"], hidden: ["pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk"], consistent: true },
    });
    expect(
      rendered(`SELECT gsi1pk, pk FROM "game"."gsi1" WHERE gsi1pk = 'a' AND gsi1sk BETWEEN '1' AND ?`, ["2"]),
    ).toEqual({
      text: `SELECT "gsi1pk", "pk", "sk", "gsi1sk" FROM "t"."gsi1" WHERE "gsi1pk" = ? AND "gsi1sk" BETWEEN ? AND ?`,
      ...{ parameters: ["a", "1", "2"], hidden: ["sk", "gsi1sk"], consistent: false },
    });
  });
});

/** The issues of an error as the code words them, before they become sentences. */
const issuesOf = ({ issues }: DomainError): string =>
  issues
    .map(({ path, message }) => `${path} ${message.charAt(0).toLowerCase()}${message.slice(1, -1)}`)
    .join();

describe("a statement is rejected with position and rule", () => {
  const SECRET = "no partition that holds a secret can be named";

  // Statements, or conditions after `SELECT * FROM "game" WHERE`, which is 27 characters long.
  it.each<[string, RegExp, unknown[]?]>([
    ["SELECT *\nFROM\n  games", /^statement line 3, column 3: the table is written "game"/],
    ["SELECT *\r\nFROM 👻", /^statement line 2, column 6: unexpected character outside quotes/],
    ["SELECT 'é👻', FROM", /^statement line 1, column 8: the name of an attribute was expected here$/],
    [`SELECT * FROM "game"`, /column 15: scans are not allowed: .* must fix pk by = or IN$/],
    [`SELECT * FROM "game"."gsi4" WHERE pk = 'x'`, /column 22: the indexes are gsi1, gsi2, gsi3$/],
    ["pk = 'x' AND pk = 'y'", /column 41: pk is fixed twice$/],
    ["pk = 'x' AND pk > 'y'", /column 41: pk may occur only in the condition that fixes it$/],
    ["pk IN ('x', 'x')", /column 40: a key is named twice$/],
    ["pk = ?", /column 33: pk is a text and not empty$/, [["x"]]],
    ["pk = ?", /column 33: there is no value for this parameter, number 1$/],
    ["pk = ?", /^parameters the list of parameters must have one entry per .*: 1, not 2$/, ["a", "b"]],
    ["pk = 'x' ORDER BY alias", /column 46: ORDER BY takes pk and sk$/],
    ["pk = 'x' AND a = 1a", /column 45: a number is followed by a letter$/],
    ["pk = 'x' /* /* */ */", /column 37: comments cannot be nested$/],
    ["pk = 'x';", /column 36: send one statement, without a semicolon$/],
    [`"PK" = 'x'`, /column 28: no attribute of this table has such a name$/],
    ["game.pk = 'x'", /column 33: a key of the table cannot be nested in an attribute$/],
    ["pk = 'x' AND game.a = 1", /column 41: attributes are named without the table$/],
    ["pk = 'x' AND a[1.5] = 1", /column 43: a list index must be a whole number$/],
    ["pk = 'x' AND n = 1234567890123456", /column 45: a number may have up to 15 digits/],
    ["pk = 'x' AND m = {'a': 1, 'a': 2}", /column 54: a field is named twice$/],
    ["pk = 'x' AND m = {'__proto__': 1}", /column 46: no attribute of this table has such a name$/],
    ["pk = 'SECRET#x'", new RegExp(`column 33: ${SECRET}$`)],
    ["pk IN (?, ?)", new RegExp(`^parameters.1 ${SECRET}$`), ["a", "SECRET#x"]],
    ["pk = 'x' AND m = ?", new RegExp(`^parameters.0 ${SECRET}$`), [{ a: [{ "SECRET#x": 1 }] }]],
    [`pk = 'x' AND a = ${"[".repeat(2_000)}`, /nested deeper than 20$/],
    [`pk = '${"é".repeat(1_025)}'`, /pk has at most 2048 bytes$/],
    [`pk IN [${Array.from({ length: 51 }, (_, at) => `'k${at}'`)}]`, /at most 50 keys are allowed$/],
  ])("%s", (text, expected, parameters = []) => {
    const source = text.startsWith("SELECT") ? text : `SELECT * FROM "game" WHERE ${text}`;
    const error = errorOf(() => validate(source, parameters, readOnly));
    expect(error.code).toBe("invalid_request");
    expect(issuesOf(error)).toMatch(expected);
  });

  // Statements, or changes after `UPDATE "game"`, which is 13 characters long.
  it.each<[string, RegExp]>([
    ["", /^statement line 1, column 1: the statement ends where SELECT, .* or DELETE was expected$/],
    [`INSERT INTO "game" VALUE {'pk': 'a'}`, /VALUE must have pk and sk$/],
    [`INSERT INTO "game" VALUE {'pk': 'a', 'sk': 1}`, /column 44: sk is a text and not empty$/],
    [`INSERT INTO "game"."gsi1" VALUE {'pk': 'a', 'sk': 'b'}`, /an index cannot be written$/],
    [`INSERT INTO "game" VALUE {'pk': 'a', 'sk': 'b', 'gsi1pk': 'SECRET#S#0'}`, new RegExp(SECRET)],
    ["SET a = 1 WHERE pk = 'x'", /a statement writes one item: .* must fix pk and sk by =$/],
    ["SET gsi1pk = 'x' WHERE pk = 'x' AND sk = 'y'", /column 19: a key .* cannot be changed$/],
    ["REMOVE a REMOVE b WHERE pk = 'x' AND sk = 'y'", /column 24: only one attribute can be removed/],
    ["SET a = b WHERE pk = 'x' AND sk = 'y'", /column 23: a literal or a parameter was expected/],
    ["WHERE pk = 'x' AND sk = 'y'", /column 15: SET or REMOVE was expected here/],
    [`DELETE FROM "game" WHERE pk = 'x' AND sk = 'y' RETURNING *`, /column 58: one of ALL OLD, /],
  ])("also when writing is switched on: %s", (text, expected) => {
    const source = /^(SET|REMOVE|WHERE)/.test(text) ? `UPDATE "game" ${text}` : text;
    expect(issuesOf(errorOf(() => validate(source, [], writing)))).toMatch(expected);
  });
});

it("a random statement is rejected, or is rendered to one that is valid itself and names no secret", () => {
  const RUNS = 1_000;
  let passed = 0;
  const fragment = fc.constantFrom(
    ...`SELECT * FROM "game" "game"."gsi1" WHERE pk gsi1pk sk = <> < IN ( ) [ ] { } , . : ? AND OR NOT BETWEEN IS MISSING
    NULL TRUE ORDER BY DESC INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ALL OLD 'GAME' 'sk' 'SECRET#x' "pk" "x'y"
    begins_with contains size EXISTS alias details kills 1 -2.5 1e3 -- /* */ ; || ' " \` # é 👻`.split(/\s+/),
    ...["\n", "pk = 'GAME' AND", `SELECT * FROM "game" WHERE pk = 'GAME'`, "{'pk': 'a', 'sk': 'b'}"],
  );
  const atom = fc.constantFrom(
    ...["kills > 1", "alias = 'b'", "sk <> 'x'", "a.b[1] IN (1, 'x')", "contains(alias, 'a')", "pk = 'x'"],
    ...["size(a) < 3", "x BETWEEN 1 AND 2", "y IS MISSING", "q = ?", "z = {'a': [NULL]}"],
  );
  const joined = fc
    .array(fc.tuple(fc.constantFrom(" AND ", " OR ", " AND NOT "), atom), { minLength: 1, maxLength: 4 })
    .map(([[, first] = ["", ""], ...parts]) => `(${first}${parts.flat().join("")})`);
  const nested = fc.tuple(joined, joined).map(([one, other]) => `(${one} OR NOT (${other} AND ${one}))`);
  const condition = fc.oneof(atom, nested);
  const fragments = (maxLength: number) => fc.array(fragment, { maxLength }).map((parts) => parts.join(" "));
  const source = fc.oneof(
    condition.map((inner) => `SELECT * FROM "game" WHERE (${inner}) AND pk = 'GAME'`),
    condition.map((inner) => `SELECT alias FROM "game"."gsi1" WHERE gsi1pk IN ['a', 'b'] AND ${inner}`),
    condition.map((inner) => `DELETE FROM "game" WHERE (sk = 'b' AND pk = 'a') AND (${inner})`),
    fragments(25),
    fragments(6).map((parts) => `SELECT * FROM "game" WHERE pk = 'GAME' ${parts}`),
    fc.string({ unit: anyCharacter, maxLength: 80 }),
  );
  const parameter = fc.oneof(fc.constantFrom("GAME", "x", "SECRET#x", 1, null), fc.jsonValue());
  fc.assert(
    fc.property(source, fc.array(parameter, { maxLength: 3 }), fc.boolean(), (text, given, writes) => {
      let first: ReturnType<typeof rendered>;
      try {
        first = rendered(text, given, { writes });
      } catch (error) {
        if (error instanceof DomainError && error.code === "invalid_request") return;
        throw error;
      }
      passed += 1;
      expect(first.text).toMatch(/"pk" = \?|"pk" IN \[\?|"gsi1pk" (= \?|IN \[\?)|'pk': \?/);
      expect(first.text).not.toMatch(/--|\/\*|;|SECRET/);
      expect(holdsSecretName(first.parameters)).toBe(false);
      const again = rendered(first.text.replace(/"t"/, '"game"'), [...first.parameters], { writes });
      expect(again).toEqual({ ...first, hidden: again.hidden });
    }),
    { numRuns: RUNS },
  );
  expect(passed).toBeGreaterThan(RUNS / 40);
});

it("a secret's name is found however it is spelt, and only at the beginning of a partition key", () => {
  const IS =
    "SECRET# SECRET#x secret#x \u0000SECRET# SE\u200bCRET#x \ufeffSECRET#x ＳＥＣＲＥＴ＃x ЅЕСRЕТ#x S\u0301ECRET#x 𝐒𝐄𝐂𝐑𝐄𝐓#x SECRET﹟x";
  expect([...IS.split(" "), " SECRET#x"].filter((text) => !namesSecret(text))).toEqual([]);
  const IS_NOT = ["", "S", "SECRET", "Secret agent", "PLAYER#SECRET#x", "XSECRET#", "SECRETS#1"];
  expect(IS_NOT.filter(namesSecret)).toEqual([]);
  expect(["pk", "gsi1pk", "gsi2pk", "gsi3pk"].filter((key) => !isSecret({ [key]: "SECRET#x" }))).toEqual([]);
  expect(isSecret({ pk: "PLAYER#SECRET#", sk: "SECRET#x", alias: "SECRET#x" })).toBe(false);
});

it.each([
  [`SELECT * FROM "game" WHERE pk = 'PLAYER#1' AND n = 5`, `SELECT * FROM "game" WHERE pk = '…' AND n = 5`],
  [`SELECT a -- my password\nFROM "game" /* is x */`, `SELECT a --…\nFROM "game" /*…*/`],
  [`WHERE "my password is x" = 'it''s'`, `WHERE "…" = '…'`],
  ["WHERE pk = 'it's' AND hidden = 'x'", "WHERE pk = '…' …"],
  ["WHERE pk = ‘my password’", "WHERE pk = … …"],
  ["", ""],
  ["a ".repeat(4_000), "a ".repeat(1_000)],
])("the log redacts %s", (statement, logged) => {
  expect(redact(statement)).toBe(logged);
});

it("an item in JSON has sets as arrays and bytes in base64, at any depth", () => {
  const list = [new Uint8Array([255, 0]), { b: Buffer.from("hi") }];
  const json = { s: ["a", "b"], l: ["/wA=", { b: "aGk=" }], n: null };
  expect(toJson({ s: new Set(["a", "b"]), l: list, n: null })).toEqual(json);
});

describe("the pages of a result", () => {
  type Row = Item & { passes: boolean };

  /** A database of these items, of which some pass the filter, with pages of a few items. */
  const databaseOf = (items: readonly Row[], pageSize: number): Database => {
    const unused = () => Promise.reject(new Error("is not called"));
    return {
      ...{ get: unused, getMany: unused, query: unused, scan: unused, put: unused },
      ...{ extendUntil: unused, transact: unused },
      async execute(_, { limit = pageSize, from = "0" } = {}) {
        const end = Number(from) + Math.min(limit, pageSize);
        const page = items.slice(Number(from), end).filter(({ passes }) => passes);
        // Like DynamoDB, it does not check whether there is more.
        return { items: page, next: end > items.length ? undefined : String(end) };
      },
    };
  };
  const item = (n: number, passes = true): Row => ({ pk: "P", sk: String(n).padStart(4, "0"), n, passes });
  const SELECT = `SELECT n FROM "game" WHERE pk = 'P'`;
  const page = (db: Database, limit: number, from?: Position | null, timeLeft = 20_000, select = SELECT) => {
    const options = { limit, from: from ?? undefined, timeLeft: () => timeLeft };
    return execute(db, validate(select, [], readOnly), options);
  };

  it("hold every item once and in order, and are full except the last", async () => {
    const limits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
    const table = fc.array(fc.boolean(), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), limits, async (passing, pageSize, all) => {
        const rows = passing.map((passes, n) => item(n, passes));
        const db = databaseOf(rows, pageSize);
        const seen: unknown[] = [];
        let from: Position | null = null;
        for (let at = 0; ; at += 1) {
          const limit = all[at % all.length] ?? 1;
          const found = await page(db, limit, from);
          seen.push(...found.items);
          expect(found.items.length).toBeLessThanOrEqual(limit);
          if (found.next === null) break;
          expect(found.items).toHaveLength(limit);
          from = JSON.parse(JSON.stringify(found.next));
        }
        // Without the keys that were read only to recognize secrets.
        const passed = rows.filter(({ passes }) => passes);
        expect(seen).toEqual(passed.map(({ n }) => ({ n, passes: true })));
      }),
      { numRuns: 200 },
    );
  });

  it("continue after an item that no longer exists", async () => {
    const rows = Array.from({ length: 30 }, (_, n) => item(n, n % 3 === 0));
    const { items, next: from } = await page(databaseOf(rows, 1_000), 4);
    expect(items.map(({ n }) => n)).toEqual([0, 3, 6, 9]);
    const changed = rows.map((one) => (one.n === 9 ? { ...one, passes: false } : one));
    for (const now of [rows, changed]) {
      const rest = await page(databaseOf(now, 1_000), 50, from);
      expect(rest.items.map(({ n }) => n)).toEqual([12, 15, 18, 21, 24, 27]);
    }
  });

  it("are rejected if they contain a secret that all earlier checks have missed", async () => {
    const rows = [item(1), { ...item(2), gsi3pk: "SECRET#x" }];
    await expect(page(databaseOf(rows, 10), 5)).rejects.toThrow("contains a secret");
  });

  it("end before the response is too large or time is short, and continue from there", async () => {
    const large = Array.from({ length: 9 }, (_, n) => ({ ...item(n), text: "x".repeat(1_000_000) }));
    const readLarge = (from: Position | null) =>
      page(databaseOf(large, 1_000), 1_000, from, 20_000, SELECT.replace("n", "*"));
    const first = await readLarge(null);
    const second = await readLarge(first.next);
    expect([first.items, second.items].map(({ length }) => length)).toEqual([4, 4]);
    const sparse = Array.from({ length: 40 }, (_, n) => item(n, n === 39));
    const short = await page(databaseOf(sparse, 10), 5, null, 100);
    expect(short).toMatchObject({ items: [], next: { token: "5" } });
    expect((await page(databaseOf(sparse, 10), 5, short.next)).items).toHaveLength(1);
  });
});
