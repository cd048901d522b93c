/** Parsers at the longest input that they get: none overflows the stack, or takes more than its share of time. */
import { describe, expect, it } from "vitest";
import { readToken } from "../../lib/auth/token.ts";
import { ALIAS_LENGTH, foldAlias, LONGEST_FORM } from "../../lib/domain/accounts/alias.ts";
import { aliasIssue } from "../../lib/domain/accounts/aliasRules.ts";
import { labelError } from "../../lib/domain/accounts/labels.ts";
import { formsOfSearch, storedWords } from "../../lib/domain/accounts/searchWords.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { scheduleIssues } from "../../lib/domain/game/settings.ts";
import { normalizeTagCode } from "../../lib/domain/hunts/tagCode.ts";
import { negotiateEncoding } from "../../lib/http/compress.ts";
import { readCursor } from "../../lib/http/cursors.ts";
import { notModified } from "../../lib/http/etag.ts";
import { Email, NewAlias, NewAudience, TagTime } from "../../lib/http/fields.ts";
import { readPicture } from "../../lib/http/pictures.ts";
import { fingerprintRequest, MAX_BODY_BYTES, readJson } from "../../lib/http/requestBody.ts";
import { readPresented } from "../../lib/http/sessionCookie.ts";
import { text } from "../../lib/http/textFields.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { redact } from "../../lib/partiql/redact.ts";
import { validate } from "../../lib/partiql/validate.ts";
import { findJoinCode } from "../../lib/store/accounts/joinCodes.ts";
import { fromCsv, toCsv } from "../../web/src/staff/ui/csv.ts";
import { type Inline, parseInline } from "../../web/src/ui/inlineMarkdown.ts";
import { CURSOR_KEY } from "../support/constants.ts";

const MARKS = "\u0301\u0323|é\u0323\u0301|\u0344|ﷺ";

/** Runs of each of these units, which `|` separates, after a beginning. */
const runs =
  (beginning: string, units: string) =>
  (length: number): string[] =>
    units.split("|").map((unit) => beginning + unit.repeat(Math.floor(length / unit.length)));

/** A rejected alias gets the nearest valid one, which is searched only in texts that may be long enough. */
const ALIASES = (length: number): string[] => [
  ...runs("a", ` |a|-|!|ي\u200c|\u200c|·|${MARKS}`)(length),
  ...runs("\u0610".repeat(length / 2), "\u200c|a\u200c")(length / 2),
];
const ADDRESSES = (length: number): string[] => [
  ...runs("", "a|a.|.|@|a@|'")(length),
  ...runs("a@", "a.|a-|a|.|a.a-")(length),
];
const TIMES = (length: number): string[] => [
  ...runs("2026-11-21T07:24:00.", "0|0Z")(length),
  ...runs("", "2026-|+00:00")(length),
];
const STATEMENTS = (length: number): string[] => [
  ...runs("SELECT * FROM game WHERE ", "(|NOT |a=1 AND |a=1 OR |(a=1 AND |a.|a[0]|NOT(")(length),
  ...runs("SELECT * FROM game WHERE pk IN [", "'a',|?,|[|{'a':|1,")(length),
  ...runs("SELECT ", `a,|/*|/**/|--|'|"|''|""|1e|\n|«|${MARKS}`)(length),
  `INSERT INTO game VALUE {${Array.from({ length: length / 10 }, (_, n) => `'a${n}':1,`).join("")}`,
  `SELECT * FROM game WHERE pk = '${"\u0301\u0323".repeat(length / 2)}'`,
];
const BODIES = (length: number): string[] => [
  ...runs("", '[|{|[[],|{"":|"|\\| |0')(length),
  ...runs('"', "\\u0301|\\ud800")(length).map((one) => `${one}"`),
  `{${Array.from({ length: length / 16 }, (_, n) => `"k${n}":1`).join(",")}}`,
  `[${"[],".repeat(length / 4)}[]]`,
];
const MARKDOWN =
  "**a** |*a* |*a*|_a_ |**a* |*|**|_|*_|(*|*(_(**(|[|[a](|[a](http://a|[a](http://a) |](|*a |_a|a* |**a_";

const HEADER_BYTES = 10_240;
const NO_DATABASE = { get: async () => undefined } as never;
const SERVICES = { cursorKeys: { given: [CURSOR_KEY] }, clock: Date.now } as never;
const rules = text(1, 20_000, "text");

const parseStatement = (input: string) => {
  redact(input);
  return validate(input, [], { writes: true });
};
const parseBody = (body: string) => {
  const { value } = readJson({ body, isBase64Encoded: false, headers: {} });
  return fingerprintRequest("POST", "/x", value);
};
const wordsOf = (alias: string) =>
  storedWords({ alias, first_name: alias, last_name: alias, email: `${alias}@example.org` });
const issuesOfZone = (time_zone: string) =>
  scheduleIssues({ time_zone, starts_at: null, ends_at: null, play_hours: null });
const parseParameter = (input: string) =>
  validate("SELECT * FROM game WHERE pk = ?", [input], { writes: true });
const compareTags = (input: string) => notModified({ statusCode: 200, headers: { etag: '"x"' } }, input);
const readCookie = (cookie: string) => readPresented({}, { cookie, "sec-fetch-site": "same-origin" });

type Parser = [
  name: string,
  length: number,
  inputs: (length: number) => string[],
  parse: (input: string) => unknown,
];
/** Each parser, its longest input, and how to make the worst inputs of a length. */
const PARSERS: Parser[] = [
  ["rules", 20_000, runs("", MARKDOWN), parseInline],
  ["a text", 20_000, runs("", ` |a\u200d|\u{1f468}\u200d|\n|${MARKS}`), (input) => rules.safeParse(input)],
  ["a CSV file that is read", 262_144, runs("a,b\n", `"|""|",|,|;|\t|\n|\r|;'=|';|\t'|=|' `), fromCsv],
  ["a CSV file that is written", 262_144, runs("", `"|,|;|\t|;=|\t |;'|'|\r\n|=;`), (one) => toCsv([[one]])],
  ["an alias", MAX_BODY_BYTES, ALIASES, aliasIssue],
  ["an alias that is not rejected at once", LONGEST_FORM * ALIAS_LENGTH.max, ALIASES, aliasIssue],
  ["an alias, as a field", MAX_BODY_BYTES, runs("a", ` |${MARKS}`), (input) => NewAlias.safeParse(input)],
  ["a search", 200, runs("a", ` |-|a |a'|王|${MARKS}`), formsOfSearch],
  ["the words of a player", 60, runs("a", `-|a |a'|王|${MARKS}`), wordsOf],
  ["the look-up of an alias", 200, runs("a", `. |\u200c| \u3000|${MARKS}`), foldAlias],
  ["a label", MAX_BODY_BYTES, runs("a", `-|a-| |${MARKS}`), labelError],
  [
    "an audience",
    MAX_BODY_BYTES,
    runs("label:", `a-|label:|${MARKS}`),
    (input) => NewAudience.safeParse(input),
  ],
  ["a tag code", MAX_BODY_BYTES, runs("", ` |-|A|${MARKS}`), normalizeTagCode],
  ["a join code", MAX_BODY_BYTES, runs("", ` |A|${MARKS}`), (input) => findJoinCode(NO_DATABASE, input)],
  ["an address", MAX_BODY_BYTES, ADDRESSES, (input) => Email.safeParse(input)],
  ["a time", MAX_BODY_BYTES, TIMES, (input) => TagTime.safeParse(input)],
  ["a time zone", 64, runs("", "A/|Europe/|+00:|A"), issuesOfZone],
  ["a statement", 8_192, STATEMENTS, parseStatement],
  ["a parameter of a statement", MAX_BODY_BYTES / 2, runs("a", MARKS), parseParameter],
  ["a body", MAX_BODY_BYTES, BODIES, parseBody],
  ["a cursor", 4_000, runs("", "A|-|=|\u0301"), (input) => readCursor(SERVICES, { list: "x" }, input)],
  ["Accept-Encoding", HEADER_BYTES, runs("", ",|;|br;|br;q=|q=0.| |gzip;q=1,|*,"), negotiateEncoding],
  ["If-None-Match", HEADER_BYTES, runs("", '"|W/"|W/|"a",|"a| |*'), compareTags],
  ["a cookie", HEADER_BYTES, runs("", ";|=|__Host-session=|__Host-session=a;| |; "), readCookie],
  ["Authorization", HEADER_BYTES, runs("Bearer ", " |a|hvz1.|a |Bearer "), (one) => readToken(one)],
];

const PICTURE_BYTES = 4 * 1024 * 1024;

const box = (type: string, ...contents: Buffer[]): Buffer => {
  const data = Buffer.concat(contents);
  const head = Buffer.alloc(8, type);
  head.writeUInt32BE(data.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data]);
};
const filled = (length: number, ...bytes: number[]): Buffer => Buffer.alloc(length, Buffer.from(bytes));

const PICTURES: [name: string, make: (length: number) => Buffer][] = [
  [
    "a PNG of empty chunks",
    (length) => Buffer.concat([PNG, filled(length, 0, 0, 0, 0, ...IDAT, 0, 0, 0, 0)]),
  ],
  ["a JPEG of fill bytes", (length) => filled(length, 0xff, 0xd8, 0xff, 0xff, 0xff, 0xff)],
  ["a JPEG of empty segments", (length) => Buffer.concat([JPEG, filled(length, 0xff, 0xe0, 0, 0)])],
  ["an AVIF of brands", (length) => box("ftyp", filled(length, ...Buffer.from("mif1")))],
  [
    "an AVIF of sizes",
    (length) => Buffer.concat([FTYP, filled(length, ...box("ispe", filled(12, 0, 0, 0, 1)))]),
  ],
];
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const IDAT = [...Buffer.from("IDAT")];
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xd8]);
const FTYP = box("ftyp", Buffer.from("avifavif"));

/** Does some work; that the input is rejected is no failure. */
const attempt = async (work: () => unknown): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
};

/** The processor time of some work, in microseconds. Other processes do not count. */
const costOf = async (work: () => unknown, times: number): Promise<number> => {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await attempt(work);
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

/** Work of less time than this is no attack, and cannot be measured well, in microseconds. */
const NOTHING = 2_000;
/** Less of it is repeated. */
const MEASURABLE = 10_000;
/** Work of so much time is measured twice at most: other work hardly changes it. */
const CERTAIN = 200_000;

/**
 * Expects that four times the input takes less than nine times as long: four times if the time grows with the length, and
 * sixteen times if with its square. A time includes what else the process did, so the least of a few is compared.
 */
const expectLinear = async <T>(
  parse: (input: T) => unknown,
  short: T,
  long: T,
  say: string,
): Promise<void> => {
  await attempt(() => parse(short));
  const ofShort = (times: number) => costOf(() => parse(short), times);
  const ofLong = (times: number) => costOf(() => parse(long), times);
  let most = await ofLong(1);
  if (most < NOTHING) return;
  const times = Math.ceil(MEASURABLE / most);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round += 1) {
    least = Math.min(least, (await ofShort(4 * times)) / (4 * times));
    if (most < 9 * least || (round > 0 && most > CERTAIN)) break;
    most = Math.min(most, (await ofLong(times)) / times);
  }
  expect(most / least, say).toBeLessThan(9);
};

describe("the time of parsing grows with the length alone:", () => {
  it.each(PARSERS)("%s of %d characters", async (_, length, inputs, parse) => {
    const short = inputs(length / 4);
    for (const [at, input] of inputs(length).entries())
      await expectLinear(parse, short[at] ?? "", input, JSON.stringify(input.slice(0, 60)));
  });

  it.each(PICTURES)("%s", async (name, make) => {
    await expectLinear(examinePicture, make(PICTURE_BYTES / 4), make(PICTURE_BYTES), name);
  });

  it("a picture in JSON", async () => {
    const bodyOf = (length: number, image: string) => ({
      ...{ body: JSON.stringify({ image: image.repeat(length / image.length) }), isBase64Encoded: false },
      headers: { "content-type": "application/json" },
    });
    for (const image of ["A", "=", "data:", "\n", "data:a;base64,"])
      await expectLinear(readPicture, bodyOf(PICTURE_BYTES / 4, image), bodyOf(PICTURE_BYTES, image), image);
  });
});

describe("rules", () => {
  /** As HTML would show them; a link has its address behind it. */
  const shown = (parts: readonly Inline[]): string =>
    parts
      .map((one) => {
        if (typeof one === "string") return one;
        return one.kind === "link"
          ? `<a>${one.label}</a>${one.href}`
          : `<${one.kind}>${shown(one.parts)}</${one.kind}>`;
      })
      .join("");

  it.each([
    ["Be **kind** and *quick*, _please_.", "Be <strong>kind</strong> and <em>quick</em>, <em>please</em>."],
    ["**A *b* c**", "<strong>A <em>b</em> c</strong>"],
    ["*A **b** c*", "<em>A <strong>b</strong> c</em>"],
    ["See [the map](https://hvz.example/map).", "See <a>the map</a>https://hvz.example/map."],
    ["[a](mailto:gm@hvz.example) *b*", "<a>a</a>mailto:gm@hvz.example <em>b</em>"],
    ["snake_case_name", "snake_case_name"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["**open and *closed*", "**open and <em>closed</em>"],
    ["[a](javascript:alert(1))", "[a](javascript:alert(1))"],
    ["**** and <b>", "**** and <b>"],
  ])("%s", (text, html) => {
    expect(shown(parseInline(text))).toBe(html);
  });

  it("show emphasis after many marks that are not closed, and nest only so deep", () => {
    expect(shown(parseInline(`${"a*b, ".repeat(50)}*c*`))).toMatch(/<em>c<\/em>$/);
    const [opened, closed] = ["*(_(".repeat(500), ")_)*".repeat(500)];
    expect(shown(parseInline(`${opened}a${closed}`))).not.toMatch(/(<em>[^<]*){7}/);
  });
});
