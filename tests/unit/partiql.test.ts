/** Game masters' statements: how they are read, which are let pass, and what the database is told in their place. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { DomainError } from "../../lib/domain/domainError.ts";
import type { Database, Item, Statement } from "../../lib/dynamodb/database.ts";
import { exactNumber } from "../../lib/dynamodb/exactNumber.ts";
import { execute, type Position } from "../../lib/partiql/execute.ts";
import { toJson } from "../../lib/partiql/json.ts";
import { redact } from "../../lib/partiql/redact.ts";
import { render } from "../../lib/partiql/render.ts";
import { holdsSecretName, isSecret, namesSecret } from "../../lib/partiql/secrets.ts";
import { type Kind, tokenize } from "../../lib/partiql/tokens.ts";
import { validate } from "../../lib/partiql/validate.ts";
import { refusalOf } from "./support.ts";

const kindsOf = (source: string): [Kind, string][] =>
  tokenize(source)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, value }) => [kind, value]);

describe("the tokenizer", () => {
  it.each<[string, [Kind, string][]]>([
    ["", []],
    [" \t\r\n", []],
    ["SELECT", [["word", "SELECT"]]],
    ["_a1", [["word", "_a1"]]],
    ["''", [["text", ""]]],
    ["'it''s'", [["text", "it's"]]],
    ["''''", [["text", "'"]]],
    ["'a''", [["bad", "a text is not closed"]]],
    ["'-- /* ? \" é 👻\n'", [["text", '-- /* ? " é 👻\n']]],
    ["'a\\'", [["text", "a\\"]]],
    ['"a""b"', [["name", 'a"b']]],
    ['"a', [["bad", "a name in quotes is not closed"]]],
    ["1", [["number", "1"]]],
    ["1.50", [["number", "1.50"]]],
    [
      "1e5 1E-5 1.2e+5",
      [
        ["number", "1e5"],
        ["number", "1E-5"],
        ["number", "1.2e+5"],
      ],
    ],
    [
      "1.",
      [
        ["number", "1"],
        ["symbol", "."],
      ],
    ],
    ["1a", [["bad", "a number runs into a word"]]],
    ["0x1F", [["bad", "a number runs into a word"]]],
    [
      "a.b[0]",
      [
        ["word", "a"],
        ["symbol", "."],
        ["word", "b"],
        ["symbol", "["],
        ["number", "0"],
        ["symbol", "]"],
      ],
    ],
    [
      "a<>b",
      [
        ["word", "a"],
        ["symbol", "<>"],
        ["word", "b"],
      ],
    ],
    [
      "<= >= != = < > || << >>",
      "<= >= != = < > || << >>".split(" ").map((one): [Kind, string] => ["symbol", one]),
    ],
    [
      "?,?",
      [
        ["parameter", ""],
        ["symbol", ","],
        ["parameter", ""],
      ],
    ],
    [
      "a--b\nc",
      [
        ["word", "a"],
        ["comment", ""],
        ["word", "c"],
      ],
    ],
    [
      "a--b\rc",
      [
        ["word", "a"],
        ["comment", ""],
        ["word", "c"],
      ],
    ],
    [
      "a - -1",
      [
        ["word", "a"],
        ["symbol", "-"],
        ["symbol", "-"],
        ["number", "1"],
      ],
    ],
    [
      "a/* ' \" -- */b",
      [
        ["word", "a"],
        ["comment", ""],
        ["word", "b"],
      ],
    ],
    ["/**/", [["comment", ""]]],
    ["/*/", [["bad", "a comment is not closed"]]],
    ["/* /* */ */", [["bad", "comments cannot be nested"]]],
    ["/* a", [["bad", "a comment is not closed"]]],
    [
      "a;b",
      [
        ["word", "a"],
        ["symbol", ";"],
        ["word", "b"],
      ],
    ],
    [
      "`x`",
      [
        ["bad", ""],
        ["word", "x"],
        ["bad", ""],
      ],
    ],
    [
      "ｐｋ",
      [
        ["bad", ""],
        ["bad", ""],
      ],
    ],
    [
      "a\u00a0b",
      [
        ["word", "a"],
        ["bad", ""],
        ["word", "b"],
      ],
    ],
    [
      "a\u0000",
      [
        ["word", "a"],
        ["bad", ""],
      ],
    ],
    [
      "‘a’",
      [
        ["bad", ""],
        ["word", "a"],
        ["bad", ""],
      ],
    ],
    ["👻", [["bad", ""]]],
  ])("reads %j", (source, expected) => {
    const strange = "unexpected character outside quotes";
    expect(kindsOf(source)).toEqual(
      expected.map(([kind, value]) => [kind, kind === "bad" && value === "" ? strange : value]),
    );
    expect(
      tokenize(source)
        .map((token) => token.source)
        .join(""),
    ).toBe(source);
  });

  const RUNS = 3_000;
  let lossless = 0;
  let told = 0;
  afterAll(() => expect([lossless, told]).toEqual([RUNS, RUNS]));

  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom(..."'\"`-/*?.,;()[]{}<>=!|\\ \n\r\tSEaeE10_#é\u00a0\u200b\u0000👻"),
      fc.constantFrom("--", "/*", "*/", "''", '""', "SECRET#", "SELECT", "1e"),
    ),
    maxLength: 60,
  });

  it("loses nothing of any text at all, and says where each token lies", () => {
    fc.assert(
      fc.property(nasty, (source) => {
        const tokens = tokenize(source);
        expect(tokens.map((token) => token.source).join("")).toBe(source);
        for (const token of tokens) {
          expect(token.source.length).toBeGreaterThan(0);
          expect(source.startsWith(token.source, token.at)).toBe(true);
        }
        lossless += 1;
      }),
      { numRuns: RUNS },
    );
  });

  it("reads every token as what was written", () => {
    const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
    const any = fc.string({ unit: "binary", maxLength: 12 });
    const token: fc.Arbitrary<[Kind, string, string]> = fc.oneof(
      word.map((value): [Kind, string, string] => ["word", value, value]),
      any.map((value): [Kind, string, string] => ["text", value, `'${value.replaceAll("'", "''")}'`]),
      any.map((value): [Kind, string, string] => ["name", value, `"${value.replaceAll('"', '""')}"`]),
      fc
        .stringMatching(/^\d{1,6}(\.\d{1,3})?(e[+-]?\d)?$/)
        .map((value): [Kind, string, string] => ["number", value, value]),
      fc.constant<[Kind, string, string]>(["parameter", "", "?"]),
      fc
        .constantFrom(..."()[]{},.*=<>+/%;:", "<>", "<=", "||")
        .map((value): [Kind, string, string] => ["symbol", value, value]),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const source = tokens.map(([, , text]) => text).join(" ");
        expect(kindsOf(source)).toEqual(tokens.map(([kind, value]) => [kind, value]));
        told += 1;
      }),
      { numRuns: RUNS },
    );
  });
});

const readOnly = { writes: false };
const writing = { writes: true };

const told = (source: string, parameters: unknown[] = [], rules = readOnly) => {
  const { text, parameters: given, hidden, consistent } = render(validate(source, parameters, rules));
  return { text: text("t"), parameters: given, hidden, consistent };
};

describe("a statement that is let pass is written anew", () => {
  const TABLE_KEYS = ["pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk"];

  it.each<[string, unknown[], string, unknown[]]>([
    [`SELECT * FROM "game" WHERE pk = 'GAME'`, [], `SELECT * FROM "t" WHERE "pk" = ?`, ["GAME"]],
    [`select * from game where "pk"='GAME'`, [], `SELECT * FROM "t" WHERE "pk" = ?`, ["GAME"]],
    [`SELECT * FROM "game" WHERE (((pk = ?)))`, ["GAME"], `SELECT * FROM "t" WHERE "pk" = ?`, ["GAME"]],
    [
      `SELECT * -- all\nFROM /* the */ "game" WHERE pk IN ('a', ?) AND sk > 'x''y'`,
      ["b"],
      `SELECT * FROM "t" WHERE "pk" IN [?, ?] AND "sk" > ?`,
      ["a", "b", "x'y"],
    ],
    [
      `SELECT * FROM "game" WHERE kills >= -2.5 AND pk IN [?]`,
      ["a"],
      `SELECT * FROM "t" WHERE "kills" >= ? AND "pk" IN [?]`,
      [-2.5, "a"],
    ],
    [
      `SELECT * FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '1' AND ?`,
      ["2"],
      `SELECT * FROM "t"."gsi2" WHERE "gsi2pk" = ? AND "gsi2sk" BETWEEN ? AND ?`,
      ["ZOMBIES#0", "1", "2"],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'a' AND (kind = 'hunt' OR NOT begins_with(sk, 'b')) AND (x = 1 AND y != 2)`,
      [],
      `SELECT * FROM "t" WHERE "pk" = ? AND ("kind" = ? OR NOT (begins_with("sk", ?))) AND "x" = ? AND "y" <> ?`,
      ["a", "hunt", "b", 1, 2],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'a' AND (x = 1 AND y = 2 OR z = 3)`,
      [],
      `SELECT * FROM "t" WHERE "pk" = ? AND (("x" = ? AND "y" = ?) OR "z" = ?)`,
      ["a", 1, 2, 3],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'a' AND details.list[0]."x-y" IS NOT MISSING AND b IS NULL AND c = [1, {'d': TRUE}]`,
      [],
      `SELECT * FROM "t" WHERE "pk" = ? AND "details"."list"[0]."x-y" IS NOT MISSING AND "b" IS NULL AND "c" = ?`,
      ["a", [1, { d: true }]],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'a' AND contains(alias, ?) AND size(misses) > 3 AND Attribute_Type(x, 'S') AND y IN (1, ?)`,
      ["q", 2],
      `SELECT * FROM "t" WHERE "pk" = ? AND contains("alias", ?) AND size("misses") > ? AND attribute_type("x", ?) AND "y" IN [?, ?]`,
      ["a", "q", 3, "S", 1, 2],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'a' ORDER BY sk DESC, pk`,
      [],
      `SELECT * FROM "t" WHERE "pk" = ? ORDER BY "sk" DESC, "pk" ASC`,
      ["a"],
    ],
  ])("%s", (source, parameters, text, values) => {
    expect(told(source, parameters)).toMatchObject({ text, parameters: values, hidden: [] });
  });

  it("reads beside what it asks for the keys by which a secret would be known", () => {
    expect(told(`SELECT alias, details.x[1], alias FROM "game" WHERE pk = 'a'`)).toEqual({
      text: `SELECT "alias", "details"."x"[1], "pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk" FROM "t" WHERE "pk" = ?`,
      parameters: ["a"],
      hidden: TABLE_KEYS,
      consistent: true,
    });
    expect(told(`SELECT gsi1pk, pk FROM "game"."gsi1" WHERE gsi1pk = 'a'`)).toEqual({
      text: `SELECT "gsi1pk", "pk", "sk", "gsi1sk" FROM "t"."gsi1" WHERE "gsi1pk" = ?`,
      parameters: ["a"],
      hidden: ["sk", "gsi1sk"],
      consistent: false,
    });
  });

  it.each<[string, unknown[], string, unknown[]]>([
    [
      `INSERT INTO "game" VALUE {'pk': ?, 'sk': 'b', 'm': {'n': [?, NULL]}}`,
      ["a", 1],
      `INSERT INTO "t" VALUE {'pk': ?, 'sk': ?, 'm': ?}`,
      ["a", "b", { n: [1, null] }],
    ],
    [
      `UPDATE "game" SET a = 1, b.c = 'x' SET d[2] = ? REMOVE e WHERE sk = 'y' AND pk = 'x' AND rev = 7 RETURNING ALL NEW *`,
      [false],
      `UPDATE "t" SET "a" = ? SET "b"."c" = ? SET "d"[2] = ? REMOVE "e" WHERE "sk" = ? AND "pk" = ? AND "rev" = ? RETURNING ALL NEW *`,
      [1, "x", false, "y", "x", 7],
    ],
    [
      `UPDATE "game" REMOVE e WHERE pk = 'x' AND sk = 'y'`,
      [],
      `UPDATE "t" REMOVE "e" WHERE "pk" = ? AND "sk" = ?`,
      ["x", "y"],
    ],
    [
      `delete from "game" where pk = 'x' and sk = ? returning all old *`,
      ["y"],
      `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? RETURNING ALL OLD *`,
      ["x", "y"],
    ],
  ])("where writing is switched on: %s", (source, parameters, text, values) => {
    expect(told(source, parameters, writing)).toMatchObject({ text, parameters: values, hidden: [] });
    expect(refusalOf(() => validate(source, parameters, readOnly)).detail).toContain(
      "writing is not switched on",
    );
  });

  it("with the table's name in quotes, whatever it is", () => {
    const { text } = render(validate(`SELECT * FROM "game" WHERE pk = 'a'`, [], readOnly));
    expect(text('a"b')).toBe(`SELECT * FROM "a""b" WHERE "pk" = ?`);
  });
});

describe("a statement is refused, with its place and rule", () => {
  const place = (refusal: DomainError): string =>
    // As it is written in the code: each is made a sentence.
    refusal.issues
      .map(({ path, message }) => `${path} ${message.charAt(0).toLowerCase()}${message.slice(1, -1)}`)
      .join();

  it.each<[string, RegExp, unknown[]?]>([
    [
      "",
      /^statement line 1, column 1: the statement ends where SELECT, INSERT, UPDATE or DELETE was expected$/,
    ],
    ["SELECT *\nFROM\n  games", /^statement line 3, column 3: the table is written "game"/],
    ["SELECT *\r\nFROM 👻", /^statement line 2, column 6: unexpected character outside quotes/],
    [`SELECT 'é👻', FROM`, /^statement line 1, column 8: the name of an attribute was expected here$/],
    [`SELECT * FROM "game"`, /column 15: scans are not allowed: .* must fix pk by = or IN$/],
    [`SELECT * FROM "game" WHERE sk = 'x'`, /column 28: scans are not allowed/],
    [
      `SELECT * FROM "game"."gsi1" WHERE pk = 'x'`,
      /column 35: scans are not allowed: .* must fix gsi1pk by = or IN$/,
    ],
    [`SELECT * FROM "game"."gsi4" WHERE pk = 'x'`, /column 22: the indexes are gsi1, gsi2, gsi3$/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND pk = 'y'`, /column 41: pk is fixed twice$/],
    [
      `SELECT * FROM "game" WHERE pk = 'x' AND pk > 'y'`,
      /column 41: pk may occur only in the condition that fixes it$/,
    ],
    [`SELECT * FROM "game" WHERE pk = 'x' AND gsi1pk = 'y'`, /column 41: gsi1pk may occur only/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND NOT (a = 1 OR size(pk) = 3)`, /column 60: pk may occur only/],
    [`SELECT * FROM "game" WHERE pk IN ('x', 'x')`, /column 40: a key is named twice$/],
    [`SELECT * FROM "game" WHERE pk = 5`, /column 33: pk is a text and not empty$/],
    [`SELECT * FROM "game" WHERE pk = ''`, /column 33: pk is a text and not empty$/],
    [`SELECT * FROM "game" WHERE pk = ?`, /column 33: pk is a text and not empty$/, [["x"]]],
    [`SELECT * FROM "game" WHERE pk = ?`, /column 33: there is no value for this parameter, number 1$/],
    [
      `SELECT * FROM "game" WHERE pk = ?`,
      /^parameters the list of parameters must have one entry per parameter of the statement: 1, not 2$/,
      ["a", "b"],
    ],
    [`SELECT * FROM "game" WHERE pk = 'x' ORDER BY alias`, /column 46: ORDER BY takes pk and sk$/],
    [`SELECT * FROM "game" WHERE pk = 'x' LIMIT 5`, /column 37: AND, ORDER BY or the end was expected here$/],
    [`SELECT * FROM "game" WHERE pk = 'x';`, /column 36: send one statement, without a semicolon$/],
    [`SELECT * FROM "game" WHERE "PK" = 'x'`, /column 28: no attribute of this table has such a name$/],
    [
      `SELECT * FROM "game" WHERE game.pk = 'x'`,
      /column 33: a key of the table cannot be nested in an attribute$/,
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'x' AND game.a = 1`,
      /column 41: attributes are named without the table$/,
    ],
    [`SELECT * FROM "game" WHERE pk[0] = 'x'`, /column 28: a key of the table has no nested attributes$/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND a[1.5] = 1`, /column 43: a list index must be a whole number$/],
    [
      `SELECT * FROM "game" WHERE pk = 'x' AND n = 1234567890123456`,
      /column 45: a number may have up to 15 digits/,
    ],
    [`SELECT * FROM "game" WHERE pk = 'x' AND n = 1e400`, /column 45: a number may have up to 15 digits/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND a IN ()`, /column 47: the list after IN is empty$/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND upper(a) = 'B'`, /column 41: the functions of a condition are/],
    [`SELECT * FROM "game" WHERE pk = 'x' AND m = {'a': 1, 'a': 2}`, /column 54: a field is named twice$/],
    [
      `SELECT * FROM "game" WHERE pk = 'x' AND m = {'__proto__': 1}`,
      /column 46: no attribute of this table has such a name$/,
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'SECRET#x'`,
      /column 33: no partition that holds a secret can be named$/,
    ],
    [
      `SELECT * FROM "game" WHERE pk IN (?, ?)`,
      /^parameters.1 no partition that holds a secret can be named$/,
      ["a", "SECRET#x"],
    ],
    [
      `SELECT * FROM "game" WHERE pk = 'x' AND m = ?`,
      /^parameters.0 no partition/,
      [{ a: [{ "SECRET#x": 1 }] }],
    ],
  ])("%s", (source, expected, parameters = []) => {
    const refusal = refusalOf(() => validate(source, parameters, readOnly));
    expect(refusal.code).toBe("invalid_request");
    expect(place(refusal)).toMatch(expected);
  });

  it("that is too long, too many or too deep", () => {
    const cases: [string, RegExp][] = [
      [`SELECT * FROM "game" WHERE ${"(".repeat(30)}pk = 'x'${")".repeat(30)}`, /nested deeper than 20$/],
      [`SELECT * FROM "game" WHERE ${"NOT ".repeat(1_000)} a = 1`, /nested deeper than 20$/],
      [`SELECT * FROM "game" WHERE pk = 'x' AND a = ${"[".repeat(2_000)}`, /nested deeper than 20$/],
      [`SELECT * FROM "game" WHERE pk = '${"é".repeat(1_025)}'`, /pk has at most 2048 bytes$/],
      [
        `SELECT * FROM "game" WHERE pk IN [${Array.from({ length: 51 }, (_, at) => `'k${at}'`)}]`,
        /at most 50 keys are allowed$/,
      ],
    ];
    for (const [source, expected] of cases) {
      expect(place(refusalOf(() => validate(source, [], readOnly)))).toMatch(expected);
    }
  });

  it.each<[string, RegExp, unknown[]?]>([
    [`INSERT INTO "game" VALUE {'pk': 'a'}`, /VALUE must have pk and sk$/],
    [`INSERT INTO "game" VALUE {'pk': 'a', 'sk': 1}`, /column 44: sk is a text and not empty$/],
    [`INSERT INTO "game" VALUE ?`, /column 26: "{" was expected here/, [{ pk: "a", sk: "b" }]],
    [`INSERT INTO "game" VALUES ('a', 'b')`, /column 20: VALUE was expected here/],
    [`INSERT INTO "game"."gsi1" VALUE {'pk': 'a', 'sk': 'b'}`, /an index cannot be written$/],
    [
      `INSERT INTO "game" VALUE {'pk': 'a', 'sk': 'b', 'gsi1pk': 'SECRET#SUBSCRIPTIONS#0'}`,
      /no partition that holds a secret/,
    ],
    [`UPDATE "game" SET a = 1 WHERE pk = 'x'`, /a statement writes one item: .* must fix pk and sk by =$/],
    [`UPDATE "game" SET a = 1 WHERE pk IN ('x') AND sk = 'y'`, /column 31: a statement writes one item/],
    [`UPDATE "game" SET a = 1 WHERE pk = 'x' AND sk = 'y' AND sk <> 'z'`, /column 57: sk may occur only/],
    [`UPDATE "game" SET a = 1 WHERE pk = 'x' AND (sk = 'y' OR a = 1)`, /a statement writes one item/],
    [
      `UPDATE "game" SET gsi1pk = 'x' WHERE pk = 'x' AND sk = 'y'`,
      /column 19: a key of the table cannot be changed$/,
    ],
    [
      `UPDATE "game" REMOVE sk WHERE pk = 'x' AND sk = 'y'`,
      /column 22: a key of the table cannot be changed$/,
    ],
    [
      `UPDATE "game" REMOVE a REMOVE b WHERE pk = 'x' AND sk = 'y'`,
      /column 24: only one attribute can be removed at a time$/,
    ],
    [
      `UPDATE "game" SET a = b WHERE pk = 'x' AND sk = 'y'`,
      /column 23: a literal or a parameter was expected here/,
    ],
    [`UPDATE "game" SET a = a + 1 WHERE pk = 'x' AND sk = 'y'`, /column 23: a literal or a parameter/],
    [`UPDATE "game" WHERE pk = 'x' AND sk = 'y'`, /column 15: SET or REMOVE was expected here/],
    [`DELETE FROM "game"`, /a statement writes one item/],
    [`DELETE FROM "game" WHERE pk = 'x' AND sk = 'y' RETURNING *`, /column 58: one of ALL OLD, /],
  ])("also where writing is switched on: %s", (source, expected, parameters = []) => {
    const refusal = refusalOf(() => validate(source, parameters, writing));
    expect(place(refusal)).toMatch(expected);
  });
});

describe("statements made at random", () => {
  const RUNS = 4_000;
  let cases = 0;
  let passed = 0;
  const fragment = fc.constantFrom(
    ...`SELECT * FROM "game" "game"."gsi1" WHERE pk gsi1pk sk = <> < IN ( ) [ ] { } , . : ? AND OR NOT BETWEEN IS MISSING
    NULL TRUE ORDER BY DESC INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ALL OLD 'GAME' 'sk' 'SECRET#x' "pk" "x'y"
    begins_with contains size EXISTS alias details kills 1 -2.5 1e3 -- /* */ ; || ' " \` # é 👻`.split(/\s+/),
    "\n",
    `pk = 'GAME' AND`,
    `SELECT * FROM "game" WHERE pk = 'GAME'`,
    `{'pk': 'a', 'sk': 'b'}`,
  );
  const filter = fc.letrec<{ condition: string; joined: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        ...[
          "kills > 1",
          "alias = 'b'",
          "sk <> 'x'",
          "a.b[1] IN (1, 'x')",
          "contains(alias, 'a')",
          "pk = 'x'",
        ],
        ...["size(a) < 3", "x BETWEEN 1 AND 2", "y IS MISSING", "q = ?", "z = {'a': [NULL]}"],
      ),
      tie("joined").map((inner) => `(${inner})`),
      tie("condition").map((inner) => `NOT ${inner}`),
    ),
    joined: fc
      .tuple(fc.array(tie("condition"), { minLength: 1, maxLength: 3 }), fc.constantFrom(" AND ", " OR "))
      .map(([parts, by]) => parts.join(by)),
  }));
  const source = fc.oneof(
    filter.joined.map((joined) => `SELECT * FROM "game" WHERE (${joined}) AND pk = 'GAME'`),
    filter.joined.map((joined) => `SELECT alias FROM "game"."gsi1" WHERE gsi1pk IN ['a', 'b'] AND ${joined}`),
    filter.joined.map((joined) => `DELETE FROM "game" WHERE (sk = 'b' AND pk = 'a') AND (${joined})`),
    fc.array(fragment, { maxLength: 25 }).map((parts) => parts.join(" ")),
    fc
      .array(fragment, { maxLength: 6 })
      .map((parts) => `SELECT * FROM "game" WHERE pk = 'GAME' ${parts.join(" ")}`),
    fc.string({ unit: "binary", maxLength: 80 }),
  );
  const parameters = fc.array(fc.oneof(fc.constantFrom("GAME", "x", "SECRET#x", 1, null), fc.jsonValue()), {
    maxLength: 3,
  });

  it("crash nothing; and what passes says the same when it is judged again", () => {
    fc.assert(
      fc.property(source, parameters, fc.boolean(), (text, given, writes) => {
        cases += 1;
        let first: ReturnType<typeof told>;
        try {
          first = told(text, given, { writes });
        } catch (error) {
          expect(error).toMatchObject({ name: "DomainError", code: "invalid_request" });
          return;
        }
        passed += 1;
        expect(first.text).toMatch(/"pk" = \?|"pk" IN \[\?|"gsi1pk" (= \?|IN \[\?)|'pk': \?/);
        expect(first.text).not.toMatch(/--|\/\*|;|SECRET/);
        expect(holdsSecretName(first.parameters)).toBe(false);
        const again = told(first.text.replace(/"t"/, '"game"'), [...first.parameters], { writes });
        expect(again).toEqual({ ...first, hidden: again.hidden });
      }),
      { numRuns: RUNS },
    );
    expect(cases).toBe(RUNS);
    expect(passed).toBeGreaterThan(RUNS / 40);
  });
});

describe("the name of a secret", () => {
  it.each([
    "SECRET#",
    "SECRET#x",
    "secret#x",
    " SECRET#x",
    "\u0000SECRET#",
    "SE\u200bCRET#x",
    "\ufeffSECRET#x",
    "ＳＥＣＲＥＴ＃x",
    "ЅЕСRЕТ#x",
    "S\u0301ECRET#x",
    "𝐒𝐄𝐂𝐑𝐄𝐓#x",
    "SECRET﹟x",
  ])("is %j", (text) => {
    expect(namesSecret(text)).toBe(true);
  });

  it.each(["", "S", "SECRET", "Secret agent", "PLAYER#SECRET#x", "XSECRET#", "SECRETS#1", "ALIAS#secret#"])(
    "is not %j",
    (text) => {
      expect(namesSecret(text)).toBe(false);
    },
  );

  it("makes a secret of an item as a partition key of the table or an index, and nowhere else", () => {
    for (const key of ["pk", "gsi1pk", "gsi2pk", "gsi3pk"])
      expect(isSecret({ [key]: "SECRET#x" })).toBe(true);
    expect(isSecret({ pk: "PLAYER#SECRET#", sk: "SECRET#x", alias: "SECRET#x" })).toBe(false);
  });
});

describe("what the log has of a statement", () => {
  it.each([
    [`SELECT * FROM "game" WHERE pk = 'PLAYER#1' AND n = 5`, `SELECT * FROM "game" WHERE pk = '…' AND n = 5`],
    [`SELECT a -- my password\nFROM "game" /* is x */`, `SELECT a --…\nFROM "game" /*…*/`],
    [`WHERE "my password is x" = 'it''s'`, `WHERE "…" = '…'`],
    [`WHERE a = 'b' AND c = 'not closed`, `WHERE a = '…' …`],
    [`WHERE pk = 'it's' AND hidden = 'x'`, `WHERE pk = '…' …`],
    [`WHERE pk = ‘my password’`, `WHERE pk = … …`],
    ["", ""],
  ])("%s", (statement, logged) => {
    expect(redact(statement)).toBe(logged);
  });

  it("is cut to 2,000 characters", () => {
    expect(redact("a ".repeat(4_000))).toHaveLength(2_000);
  });
});

describe("an item as JSON says it", () => {
  it.each([
    ["0", 0],
    ["-7.25", -7.25],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740993", "-9007199254740993"],
    ["12345678901234567890", "12345678901234567890"],
    ["0.30000000000000004", 0.30000000000000004],
    ["0.3000000000000000444", "0.3000000000000000444"],
    ["1E-130", 1e-130],
    ["1E+100", "1E+100"],
    ["1.5e3", 1500],
  ])("has the number %s as %j", (text, value) => {
    expect(exactNumber(text)).toBe(value);
  });

  it("has sets as arrays and bytes in base64, however deep", () => {
    const item = {
      s: new Set(["a", "b"]),
      l: [new Uint8Array([255, 0]), { b: Buffer.from("hi") }],
      n: null,
      t: true,
    };
    expect(toJson(item)).toEqual({ s: ["a", "b"], l: ["/wA=", { b: "aGk=" }], n: null, t: true });
  });
});

describe("the pages of an answer", () => {
  /** A database of these items, which pass a filter or not, and whose own pages hold a few of them. */
  const databaseOf = (items: readonly (Item & { passes: boolean })[], most: number) => {
    const asked: Statement[] = [];
    const none = () => Promise.reject(new Error("is not called"));
    const db: Database = {
      get: none,
      getMany: none,
      query: none,
      put: none,
      extendUntil: none,
      transact: none,
      async execute(statement, { limit = most, from = "0" } = {}) {
        asked.push(statement);
        const end = Number(from) + Math.min(limit, most);
        const page = items.slice(Number(from), end).filter(({ passes }) => passes);
        // As the real one, it does not look whether there is more.
        return { items: page, next: end > items.length ? undefined : String(end) };
      },
    };
    return { db, asked };
  };
  const statement = validate(`SELECT n FROM "game" WHERE pk = 'P'`, [], readOnly);
  const item = (n: number, passes = true) => ({ pk: "P", sk: String(n).padStart(4, "0"), n, passes });

  const RUNS = 500;
  let cases = 0;
  afterAll(() => expect(cases).toBe(RUNS));

  it("hold every item once and in order, and are full unless they are the last", async () => {
    const table = fc.array(fc.boolean(), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
        async (passing, most, limits) => {
          const items = passing.map((passes, n) => item(n, passes));
          const { db } = databaseOf(items, most);
          const seen: unknown[] = [];
          let from: Position | undefined;
          for (let page = 0; ; page += 1) {
            const limit = limits[page % limits.length] ?? 1;
            const found = await execute(db, statement, { limit, from, timeLeft: () => 20_000 });
            seen.push(...found.items);
            expect(found.items.length).toBeLessThanOrEqual(limit);
            if (found.next === null) break;
            expect(found.items).toHaveLength(limit);
            from = JSON.parse(JSON.stringify(found.next));
          }
          const wanted = items.filter(({ passes }) => passes);
          // What else was read to know a secret by is not shown.
          expect(seen).toEqual(wanted.map(({ n }) => ({ n, passes: true })));
          cases += 1;
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("go on behind an item that is gone by now, and where a page has changed", async () => {
    const items = Array.from({ length: 30 }, (_, n) => item(n, n % 3 === 0));
    const first = await execute(databaseOf(items, 1_000).db, statement, { limit: 4, timeLeft: () => 20_000 });
    expect(first.next?.within).toMatchObject({ gone: 2 });
    const onwards = async (now: typeof items) => {
      const from = first.next ?? undefined;
      const { items: rest } = await execute(databaseOf(now, 1_000).db, statement, {
        limit: 50,
        from,
        timeLeft: () => 20_000,
      });
      return rest.map(({ n }) => n);
    };
    expect(first.items.map(({ n }) => n)).toEqual([0, 3, 6, 9]);
    expect(await onwards(items)).toEqual([12, 15, 18, 21, 24, 27]);
    const without = items.map((one) => (one.n === 9 ? { ...one, passes: false } : one));
    expect(await onwards(without)).toEqual([12, 15, 18, 21, 24, 27]);
  });

  it("end where the answer would be too large, and where time is short; nothing is lost", async () => {
    const large = Array.from({ length: 12 }, (_, n) => ({ ...item(n), text: "x".repeat(1_000_000) }));
    const { db } = databaseOf(large, 1_000);
    const all = validate(`SELECT * FROM "game" WHERE pk = 'P'`, [], readOnly);
    const sizes: number[] = [];
    let from: Position | undefined;
    do {
      const page = await execute(db, all, { limit: 1_000, from, timeLeft: () => 20_000 });
      sizes.push(page.items.length);
      from = page.next ?? undefined;
    } while (from !== undefined);
    expect(sizes).toEqual([4, 4, 4]);
    const hurried = databaseOf(
      Array.from({ length: 40 }, (_, n) => item(n, n === 39)),
      10,
    );
    const short = await execute(hurried.db, statement, { limit: 5, timeLeft: () => 100 });
    expect([short.items, hurried.asked.length]).toEqual([[], 1]);
    const rest = await execute(hurried.db, statement, {
      limit: 5,
      from: short.next ?? undefined,
      timeLeft: () => 20_000,
    });
    expect(rest.items).toHaveLength(1);
  });

  it("are refused where one would hold a secret, or stands in another order than was asked for", async () => {
    const timeLeft = () => 20_000;
    for (const secret of [{ pk: "SECRET#x" }, { gsi1pk: "SECRET#SUBSCRIPTIONS#0" }, { gsi3pk: "SECRET#" }]) {
      const { db } = databaseOf([item(1), { ...item(2), ...secret }], 10);
      await expect(execute(db, statement, { limit: 1, timeLeft })).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
    const ordered = (how: string) =>
      validate(`SELECT n FROM "game" WHERE pk = 'P' ORDER BY sk ${how}`, [], readOnly);
    const rising = databaseOf([item(1), item(2)], 1).db;
    await expect(execute(rising, ordered("DESC"), { limit: 5, timeLeft })).rejects.toThrow(/ORDER BY/);
    expect((await execute(rising, ordered("ASC"), { limit: 5, timeLeft })).items).toHaveLength(2);
    // Each page of its own sorted, and all of them in the wrong order.
    const pages = databaseOf(
      [2, 1, 0, 5, 4, 3].map((n) => item(n)),
      3,
    ).db;
    for (const limit of [1, 2, 3, 4]) {
      await expect(execute(pages, ordered("DESC"), { limit, timeLeft })).rejects.toThrow(/ORDER BY/);
    }
    const falling = databaseOf([item(2), item(1)], 1).db;
    expect((await execute(falling, ordered("DESC"), { limit: 5, timeLeft })).items).toHaveLength(2);
  });
});
