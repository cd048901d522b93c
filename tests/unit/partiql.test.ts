/** Game masters' PartiQL statements: tokens, validation, what is sent to the database, and its pages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import type { Database, Item, Statement } from "../../lib/dynamodb/database.ts";
import { exactNumber } from "../../lib/dynamodb/exactNumber.ts";
import { execute, type Position } from "../../lib/partiql/execute.ts";
import { toJson } from "../../lib/partiql/json.ts";
import { redact } from "../../lib/partiql/redact.ts";
import { render } from "../../lib/partiql/render.ts";
import { holdsSecretName, isSecret, namesSecret } from "../../lib/partiql/secrets.ts";
import { tokenize } from "../../lib/partiql/tokens.ts";
import { validate } from "../../lib/partiql/validate.ts";
import { anyCharacter } from "../support/codePoints.ts";
import { errorOf } from "./support.ts";

const sourceOf = (source: string): string =>
  tokenize(source)
    .map((token) => token.source)
    .join("");

/** The tokens of a source without spaces, each as `kind value`. */
const tokensOf = (source: string): string[] =>
  tokenize(source)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, value }) => `${kind} ${value}`);

describe("the tokenizer", () => {
  const STRAY = "bad unexpected character outside quotes";

  // Each token as `kind value`, separated by `|`; STRAY stands for a character that is no token.
  it.each([
    ["", ""],
    ["'it''s'", "text it's"],
    ["''''", "text '"],
    ["'-- /* ? \" é 👻\n'", 'text -- /* ? " é 👻\n'],
    ["'a\\'", "text a\\"],
    ['"a""b"', 'name a"b'],
    ['"a', "bad a name in quotes is not closed"],
    ["1e5 1E-5 1.2e+5", "number 1e5|number 1E-5|number 1.2e+5"],
    ["1.", "number 1|symbol ."],
    ["1a", "bad a number is followed by a letter"],
    ["a.b[0]", "word a|symbol .|word b|symbol [|number 0|symbol ]"],
    ["<= >= != = < > << >>", "symbol <=|symbol >=|symbol !=|symbol =|symbol <|symbol >|symbol <<|symbol >>"],
    ["a--b\nc", "word a|comment |word c"],
    ["a - -1", "word a|symbol -|symbol -|number 1"],
    ["a/* ' \" -- */b", "word a|comment |word b"],
    ["/* /* */ */", "bad comments cannot be nested"],
    ["/* a", "bad a comment is not closed"],
    ["`x`", "STRAY|word x|STRAY"],
    ["a\u00a0b", "word a|STRAY|word b"],
    ["a\u0000", "word a|STRAY"],
  ])("reads %j", (source, tokens) => {
    const expected = tokens === "" ? [] : tokens.replaceAll("STRAY", STRAY).split("|");
    expect(tokensOf(source)).toEqual(expected);
    expect(sourceOf(source)).toBe(source);
  });

  it("loses nothing of any text, and gives the position of each token", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."'\"`-/*?.,;()[]{}<>=!|\\ \n\r\tSEaeE10_#é\u00a0\u200b\u0000👻"),
      fc.constantFrom("--", "/*", "*/", "''", '""', "SECRET#", "SELECT", "1e"),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (source) => {
        expect(sourceOf(source)).toBe(source);
        for (const token of tokenize(source)) {
          expect(token.source.length).toBeGreaterThan(0);
          expect(source.startsWith(token.source, token.at)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const readOnly = { writes: false };
const writing = { writes: true };

const rendered = (source: string, parameters: unknown[] = [], rules = readOnly) => {
  const { text, parameters: given, hidden, consistent } = render(validate(source, parameters, rules));
  return { text: text("t"), parameters: given, hidden, consistent };
};

describe("a valid statement is rendered anew", () => {
  // The condition after `SELECT * FROM "game" WHERE`, its parameters, and both as they are sent.
  it.each<[string, unknown[], string, unknown[]]>([
    ["(((pk = ?)))", ["GAME"], `"pk" = ?`, ["GAME"]],
    ["pk IN ('a', ?) AND sk > 'x''y'", ["b"], `"pk" IN [?, ?] AND "sk" > ?`, ["a", "b", "x'y"]],
    [
      "pk IN [?] AND (kind = 'hunt' OR x = -2.5 AND NOT begins_with(sk, 'b')) AND (x = 1 AND y != 2)",
      ["a"],
      `"pk" IN [?] AND ("kind" = ? OR ("x" = ? AND NOT (begins_with("sk", ?)))) AND "x" = ? AND "y" <> ?`,
      ["a", "hunt", -2.5, "b", 1, 2],
    ],
    [
      `pk = 'a' AND details.list[0]."x-y" IS NOT MISSING AND b IS NULL AND c = [1, {'d': TRUE}]`,
      [],
      `"pk" = ? AND "details"."list"[0]."x-y" IS NOT MISSING AND "b" IS NULL AND "c" = ?`,
      ["a", [1, { d: true }]],
    ],
    [
      "pk = 'a' AND contains(alias, ?) AND size(misses) > 3 AND Attribute_Type(x, 'S') ORDER BY sk DESC, pk",
      ["q"],
      `"pk" = ? AND contains("alias", ?) AND size("misses") > ? AND attribute_type("x", ?) ORDER BY "sk" DESC, "pk" ASC`,
      ["a", "q", 3, "S"],
    ],
  ])("%s", (condition, parameters, text, values) => {
    const sent = { text: `SELECT * FROM "t" WHERE ${text}`, parameters: values, hidden: [] };
    for (const source of ['SELECT * FROM "game" WHERE', "select * -- all\nfrom /* the */ game where"])
      expect(rendered(`${source} ${condition}`, parameters)).toMatchObject(sent);
  });

  it("with an index", () => {
    const source = `SELECT * FROM "game"."gsi2" WHERE gsi2pk = 'ZOMBIES#0' AND gsi2sk BETWEEN '1' AND ?`;
    const text = `SELECT * FROM "t"."gsi2" WHERE "gsi2pk" = ? AND "gsi2sk" BETWEEN ? AND ?`;
    expect(rendered(source, ["2"])).toMatchObject({ text, parameters: ["ZOMBIES#0", "1", "2"], hidden: [] });
  });

  it("with the hidden keys by which a secret is recognized", () => {
    expect(rendered(`SELECT alias, details.x[1], alias FROM "game" WHERE pk = 'a'`)).toEqual({
      text: `SELECT "alias", "details"."x"[1], "pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk" FROM "t" WHERE "pk" = ?`,
      ...{ parameters: ["a"], hidden: ["pk", "sk", "gsi1pk", "gsi2pk", "gsi3pk"], consistent: true },
    });
    expect(rendered(`SELECT gsi1pk, pk FROM "game"."gsi1" WHERE gsi1pk = 'a'`)).toEqual({
      text: `SELECT "gsi1pk", "pk", "sk", "gsi1sk" FROM "t"."gsi1" WHERE "gsi1pk" = ?`,
      ...{ parameters: ["a"], hidden: ["sk", "gsi1sk"], consistent: false },
    });
  });

  const KEYS = `"pk" = ? AND "sk" = ?`;

  it.each<[string, unknown[], string, unknown[]]>([
    [
      `INSERT INTO "game" VALUE {'pk': ?, 'sk': 'b', 'm': {'n': [?, NULL]}}`,
      ["a", 1],
      `INSERT INTO "t" VALUE {'pk': ?, 'sk': ?, 'm': ?}`,
      ["a", "b", { n: [1, null] }],
    ],
    [
      `UPDATE "game" SET a = 1, b.c = 'x' SET d[2] = ? REMOVE e WHERE pk = 'x' AND sk = 'y' AND rev = 7 RETURNING ALL NEW *`,
      [false],
      `UPDATE "t" SET "a" = ? SET "b"."c" = ? SET "d"[2] = ? REMOVE "e" WHERE ${KEYS} AND "rev" = ? RETURNING ALL NEW *`,
      [1, "x", false, "x", "y", 7],
    ],
    [
      `delete from "game" where pk = 'x' and sk = ? returning all old *`,
      ["y"],
      `DELETE FROM "t" WHERE ${KEYS} RETURNING ALL OLD *`,
      ["x", "y"],
    ],
  ])("when writing is switched on: %s", (source, parameters, text, values) => {
    expect(rendered(source, parameters, writing)).toMatchObject({ text, parameters: values, hidden: [] });
    const { detail } = errorOf(() => validate(source, parameters, readOnly));
    expect(detail).toContain("writing is not switched on");
  });

  it("with the table's name in quotes, whatever it is", () => {
    const { text } = render(validate(`SELECT * FROM "game" WHERE pk = 'a'`, [], readOnly));
    expect(text('a"b"')).toBe(`SELECT * FROM "a""b""" WHERE "pk" = ?`);
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
    ["pk = 'x' AND NOT (a = 1 OR size(pk) = 3)", /column 60: pk may occur only/],
    ["pk IN ('x', 'x')", /column 40: a key is named twice$/],
    ["pk = ?", /column 33: pk is a text and not empty$/, [["x"]]],
    ["pk = ?", /column 33: there is no value for this parameter, number 1$/],
    ["pk = ?", /^parameters the list of parameters must have one entry per .*: 1, not 2$/, ["a", "b"]],
    ["pk = 'x' ORDER BY alias", /column 46: ORDER BY takes pk and sk$/],
    ["pk = 'x';", /column 36: send one statement, without a semicolon$/],
    [`"PK" = 'x'`, /column 28: no attribute of this table has such a name$/],
    ["game.pk = 'x'", /column 33: a key of the table cannot be nested in an attribute$/],
    ["pk = 'x' AND game.a = 1", /column 41: attributes are named without the table$/],
    ["pk[0] = 'x'", /column 28: a key of the table has no nested attributes$/],
    ["pk = 'x' AND a[1.5] = 1", /column 43: a list index must be a whole number$/],
    ["pk = 'x' AND n = 1234567890123456", /column 45: a number may have up to 15 digits/],
    ["pk = 'x' AND a IN ()", /column 47: the list after IN is empty$/],
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
  it.each<[string, RegExp, unknown[]?]>([
    [
      "",
      /^statement line 1, column 1: the statement ends where SELECT, INSERT, UPDATE or DELETE was expected$/,
    ],
    [`INSERT INTO "game" VALUE {'pk': 'a'}`, /VALUE must have pk and sk$/],
    [`INSERT INTO "game" VALUE {'pk': 'a', 'sk': 1}`, /column 44: sk is a text and not empty$/],
    [`INSERT INTO "game"."gsi1" VALUE {'pk': 'a', 'sk': 'b'}`, /an index cannot be written$/],
    [`INSERT INTO "game" VALUE {'pk': 'a', 'sk': 'b', 'gsi1pk': 'SECRET#S#0'}`, new RegExp(SECRET)],
    ["SET a = 1 WHERE pk = 'x'", /a statement writes one item: .* must fix pk and sk by =$/],
    ["SET a = 1 WHERE pk IN ('x') AND sk = 'y'", /column 31: a statement writes one item/],
    ["SET a = 1 WHERE pk = 'x' AND sk = 'y' AND sk <> 'z'", /column 57: sk may occur only/],
    ["SET gsi1pk = 'x' WHERE pk = 'x' AND sk = 'y'", /column 19: a key .* cannot be changed$/],
    ["REMOVE a REMOVE b WHERE pk = 'x' AND sk = 'y'", /column 24: only one attribute can be removed/],
    ["SET a = b WHERE pk = 'x' AND sk = 'y'", /column 23: a literal or a parameter was expected/],
    ["WHERE pk = 'x' AND sk = 'y'", /column 15: SET or REMOVE was expected here/],
    [`DELETE FROM "game" WHERE pk = 'x' AND sk = 'y' RETURNING *`, /column 58: one of ALL OLD, /],
  ])("also when writing is switched on: %s", (text, expected, parameters = []) => {
    const source = /^(SET|REMOVE|WHERE)/.test(text) ? `UPDATE "game" ${text}` : text;
    expect(issuesOf(errorOf(() => validate(source, parameters, writing)))).toMatch(expected);
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
  const joinedOf = (condition: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.array(condition, { minLength: 1, maxLength: 3 }), fc.constantFrom(" AND ", " OR "))
      .map(([parts, by]) => parts.join(by));
  const nested = fc.oneof(
    atom,
    joinedOf(atom).map((inner) => `(${inner})`),
    atom.map((one) => `NOT ${one}`),
  );
  const joined = joinedOf(
    fc.oneof(
      nested,
      joinedOf(nested).map((inner) => `NOT (${inner})`),
    ),
  );
  const fragments = (maxLength: number) => fc.array(fragment, { maxLength }).map((parts) => parts.join(" "));
  const source = fc.oneof(
    joined.map((inner) => `SELECT * FROM "game" WHERE (${inner}) AND pk = 'GAME'`),
    joined.map((inner) => `SELECT alias FROM "game"."gsi1" WHERE gsi1pk IN ['a', 'b'] AND ${inner}`),
    joined.map((inner) => `DELETE FROM "game" WHERE (sk = 'b' AND pk = 'a') AND (${inner})`),
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

describe("a secret's name", () => {
  const IS =
    "SECRET# SECRET#x secret#x \u0000SECRET# SE\u200bCRET#x \ufeffSECRET#x ＳＥＣＲＥＴ＃x ЅЕСRЕТ#x S\u0301ECRET#x 𝐒𝐄𝐂𝐑𝐄𝐓#x SECRET﹟x";
  const IS_NOT = ["", "S", "SECRET", "Secret agent", "PLAYER#SECRET#x", "XSECRET#", "SECRETS#1"];

  it("is found however it is spelt, and only at the beginning", () => {
    expect([...IS.split(" "), " SECRET#x"].filter((text) => !namesSecret(text))).toEqual([]);
    expect(IS_NOT.filter(namesSecret)).toEqual([]);
  });

  it("marks an item as secret as a partition key of the table or an index, and nowhere else", () => {
    for (const key of ["pk", "gsi1pk", "gsi2pk", "gsi3pk"])
      expect(isSecret({ [key]: "SECRET#x" })).toBe(true);
    expect(isSecret({ pk: "PLAYER#SECRET#", sk: "SECRET#x", alias: "SECRET#x" })).toBe(false);
  });
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

describe("an item in JSON", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["0.3000000000000000444", "0.3000000000000000444"],
    ["1E-130", 1e-130],
  ])("has the number %s as %j", (text, value) => expect(exactNumber(text)).toBe(value));

  it("has sets as arrays and bytes in base64, at any depth", () => {
    const list = [new Uint8Array([255, 0]), { b: Buffer.from("hi") }];
    const json = { s: ["a", "b"], l: ["/wA=", { b: "aGk=" }], n: null, t: true };
    expect(toJson({ s: new Set(["a", "b"]), l: list, n: null, t: true })).toEqual(json);
  });
});

describe("the pages of a result", () => {
  type Row = Item & { passes: boolean };

  /** A database of these items, of which some pass the filter, with pages of a few items. */
  const databaseOf = (items: readonly Row[], pageSize: number) => {
    const calls: Statement[] = [];
    const unused = () => Promise.reject(new Error("is not called"));
    const db: Database = {
      ...{ get: unused, getMany: unused, query: unused, put: unused, extendUntil: unused, transact: unused },
      async execute(statement, { limit = pageSize, from = "0" } = {}) {
        calls.push(statement);
        const end = Number(from) + Math.min(limit, pageSize);
        const page = items.slice(Number(from), end).filter(({ passes }) => passes);
        // Like DynamoDB, it does not check whether there is more.
        return { items: page, next: end > items.length ? undefined : String(end) };
      },
    };
    return { db, calls };
  };
  const statement = validate(`SELECT n FROM "game" WHERE pk = 'P'`, [], readOnly);
  const item = (n: number, passes = true): Row => ({ pk: "P", sk: String(n).padStart(4, "0"), n, passes });
  const items = (...numbers: number[]): Row[] => numbers.map((n) => item(n));
  const page = (db: Database, limit: number, from?: Position | null, timeLeft = 20_000, what = statement) =>
    execute(db, what, { limit, from: from ?? undefined, timeLeft: () => timeLeft });

  it("hold every item once and in order, and are full except the last", async () => {
    const limits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
    const table = fc.array(fc.boolean(), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), limits, async (passing, pageSize, all) => {
        const rows = passing.map((passes, n) => item(n, passes));
        const { db } = databaseOf(rows, pageSize);
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
    const first = await page(databaseOf(rows, 1_000).db, 4);
    expect(first.next?.within).toMatchObject({ gone: 2 });
    expect(first.items.map(({ n }) => n)).toEqual([0, 3, 6, 9]);
    const changed = rows.map((one) => (one.n === 9 ? { ...one, passes: false } : one));
    for (const now of [rows, changed]) {
      const rest = await page(databaseOf(now, 1_000).db, 50, first.next);
      expect(rest.items.map(({ n }) => n)).toEqual([12, 15, 18, 21, 24, 27]);
    }
  });

  it("end before the response is too large", async () => {
    const rows = Array.from({ length: 9 }, (_, n) => ({ ...item(n), text: "x".repeat(1_000_000) }));
    const all = validate(`SELECT * FROM "game" WHERE pk = 'P'`, [], readOnly);
    const first = await page(databaseOf(rows, 1_000).db, 1_000, null, 20_000, all);
    const second = await page(databaseOf(rows, 1_000).db, 1_000, first.next, 20_000, all);
    expect([first.items, second.items].map(({ length }) => length)).toEqual([4, 4]);
  });

  it("end when time is short, and continue from there", async () => {
    const rows = Array.from({ length: 40 }, (_, n) => item(n, n === 39));
    const { db, calls } = databaseOf(rows, 10);
    const short = await page(db, 5, null, 100);
    expect([short.items, calls.length]).toEqual([[], 1]);
    expect((await page(db, 5, short.next)).items).toHaveLength(1);
  });

  it("are rejected when they are not in the order of ORDER BY", async () => {
    const ordered = async (rows: Row[], pageSize: number, how: string, limit = 5) => {
      const source = `SELECT n FROM "game" WHERE pk = 'P' ORDER BY sk ${how}`;
      return page(databaseOf(rows, pageSize).db, limit, null, 20_000, validate(source, [], readOnly));
    };
    await expect(ordered(items(1, 2), 1, "DESC")).rejects.toThrow(/ORDER BY/);
    expect((await ordered(items(1, 2), 1, "ASC")).items).toHaveLength(2);
    expect((await ordered(items(2, 1), 1, "DESC")).items).toHaveLength(2);
    // Each page sorted by itself, and all of them not.
    for (const limit of [1, 2, 3, 4]) {
      await expect(ordered(items(2, 1, 0, 5, 4, 3), 3, "DESC", limit)).rejects.toThrow(/ORDER BY/);
    }
  });
});
