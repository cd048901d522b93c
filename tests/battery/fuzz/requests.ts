/** The requests that an endpoint is sent: valid, nearly valid and hostile ones, in a random order. */
import fc from "fast-check";
import * as z from "zod/mini";
import type { Handler } from "../../../lib/http/definition.ts";
import { keys } from "../../../lib/store/keys.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { type Random, randomFrom } from "../../support/battery.ts";
import { anyCharacter } from "../../support/codePoints.ts";
import { pickOne } from "../../support/pickOne.ts";
import { honest } from "../../support/pictures.ts";
import type { RequestOptions } from "../../support/service.ts";
import { ADDRESS, KEY_MARK, SECRET_MARK } from "./canaries.ts";
import type { Fixture } from "./fixture.ts";
import * as nasty from "./nasty.ts";
import { type Field, fieldsOf, objectsOf } from "./values.ts";
import { type Apt, aptOf, OF_THE_GAME, wordsOf } from "./words.ts";

type Values = Record<string, unknown>;

/** A valid request before it is sent, or spoilt. */
interface Drawn {
  body: Values;
  query: Values;
}

export interface Sent {
  /** The kind of request. */
  what: string;
  asking: RequestOptions;
  /** Whether a secret is the name of a field, which an error may repeat. */
  namesSecret?: boolean;
}

export interface Case extends Sent {
  /** Chooses one of the callers. */
  turn: number;
}

const jsonOf = (body: string): RequestOptions => ({ raw: { body, type: "application/json" } });

const queryOf = (values: Values): RequestOptions => {
  const query = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return Object.keys(query).length > 0 ? { query } : {};
};

const swapCase = (text: string): string =>
  [...text].map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join("");

/** Replaces the first possible letter by one that looks like it. */
const lookAlike = (text: string): string =>
  text.replace(/[aceopxyABE-]/, (letter) => [..."асеорхуАВЕ‐"]["aceopxyABE-".indexOf(letter)] ?? "");

/** A value with a typical mistake, or with one change that is still valid. */
const mistakes = (value: unknown, { json }: Field, random: Random): unknown[] => {
  const { minLength = 0, maxLength = 100, minimum = 0, maximum = 1, maxItems = 100 } = json;
  const others = [JSON.stringify(value), 7, true, [value], { value }, null];
  if (typeof value === "number")
    return [minimum, minimum - 1, maximum, maximum + 1, -value, value + 0.5, ...others];
  if (Array.isArray(value)) {
    const tooMany = Array(Math.min(maxItems, 1_000) + 1).fill(value[0] ?? "a");
    return [[...value, ...value], [...value, null], [], tooMany, ...others];
  }
  if (typeof value !== "string") return others;
  const letters = [...value];
  const at = random.below(letters.length + 1);
  const longest = Math.min(maxLength, 5_000);
  return [
    ...["", "   ", ` ${value}`, `${value} `, `${value}\n`, `\u202e${value}`, value + value],
    ...[swapCase(value), lookAlike(value), value.normalize("NFD"), letters.toSpliced(at, 1).join("")],
    ...["a", "0", "-", "é", "\u200b"].map((one) => letters.toSpliced(at, 0, one).join("")),
    ...["z", "9", "ß", "@"].map((one) => letters.toSpliced(at, 1, one).join("")),
    ...["a".repeat(minLength), "a".repeat(Math.max(0, minLength - 1))],
    ...[value.padEnd(longest, "a"), value.padEnd(longest + 1, "a")],
    ...(/^\d+$/.test(value) ? ["٥", `+${value}`, `-${value}`, `${value}.0`, `0x${value}`] : []),
    ...[minimum - 1, minimum, maximum, maximum + 1].map(String),
    ...others,
  ];
};

const nearNames = (name: string): string[] => [
  ...[swapCase(name), lookAlike(name), `${name}s`, `${name} `, `_${name}`, "constructor", "toString"],
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
];

/** A body or a query with one field invalid, missing, or under another name. */
const spoil = (values: Values, fields: Record<string, Field>, random: Random): Values => {
  const [name = "limit"] = random.shuffle(Object.keys(values));
  const { [name]: value = "1", ...rest } = values;
  const field = fields[name];
  const way = random.below(10);
  if (field !== undefined && way === 0) return rest;
  if (field !== undefined && way < 8)
    return { ...values, [name]: pickOne(random, mistakes(value, field, random)) };
  return { ...(random.chance(0.5) ? values : rest), [pickOne(random, nearNames(name))]: value };
};

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...nasty.NASTY_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...nasty.NASTY_NUMBERS) },
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(true, false, null, "2026-11-21T07:24:00Z"),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const anything = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Cursors that were not given for this list: cut, changed, of another list, or made up. */
const forgedCursor = (on: Fixture, own: string): fc.Arbitrary<string> => {
  const given = [...on.cursors].flatMap(([route, pages]) => pages.map(({ cursor }) => ({ route, cursor })));
  const any = fc.constantFrom(...given.map(({ cursor }) => cursor));
  return fc.oneof(
    fc.tuple(any, fc.nat(200)).map(([cursor, at]) => cursor.slice(0, at % cursor.length)),
    fc.tuple(any, fc.nat(200)).map(([cursor, at]) => {
      const bytes = Buffer.from(cursor, "base64url");
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
      return bytes.toString("base64url");
    }),
    any.map((cursor) => `${cursor}=`),
    fc.constantFrom(...given.filter(({ route }) => route !== own).map(({ cursor }) => cursor)),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
  );
};

/** Pictures, complete and cut off. */
export const readPictures = async (): Promise<Buffer[]> => {
  const made = await Promise.all(Object.values(honest).map((make) => make()));
  return made.flatMap((bytes) => [bytes, bytes.subarray(0, bytes.length / 2), bytes.subarray(0, 3)]);
};

const notQuiteJson = (text: string): string[] => [
  ...[text.slice(0, -1), `${text},`, `[${text}]`, `${text}${text}`, text.replaceAll('"', "'")],
];

/** Requests that nobody sends by mistake, some of them made of valid ones. */
const hostileTo = (
  { route, on, pictures, names }: { route: string; on: Fixture; pictures: Buffer[]; names: string[] },
  valid: fc.Arbitrary<Drawn>,
): fc.Arbitrary<Sent> => {
  const isGet = route.startsWith("GET ");
  const of = <T>(what: string, values: fc.Arbitrary<T>, change: (drawn: Drawn, value: T) => RequestOptions) =>
    fc.tuple(valid, values).map(([drawn, value]): Sent => {
      const usual = { ...queryOf(drawn.query), ...(isGet ? {} : jsonOf(JSON.stringify(drawn.body))) };
      return { what: `hostile: ${what}`, asking: { ...usual, ...change(drawn, value) } };
    });
  const text = fc.constantFrom(...nasty.NASTY_TEXTS);
  const fields = (from: readonly string[], most: number) =>
    fc.dictionary(fc.constantFrom(...from), anything, { minKeys: 1, maxKeys: most });
  const json = (what: string, values: fc.Arbitrary<unknown>) =>
    of(what, values, (_, value) => jsonOf(JSON.stringify(value)));

  const contents = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
    fc.constantFrom(...pictures),
  );
  const types = ["application/json", "image/png", "application/octet-stream", "IMAGE/*", "text/plain"];
  const always = [
    of("a query", fc.dictionary(fc.constantFrom("limit", "cursor", "state", "x"), text), ({ query }, odd) =>
      queryOf({ ...query, ...odd }),
    ),
    of("odd headers", fc.constantFrom(...nasty.ODD_HEADERS), (_, headers) => ({ headers })),
    of(
      "a text",
      fc.oneof(fc.constantFrom(...nasty.BODIES), fc.string({ unit: anyCharacter, maxLength: 60 })),
      (_, body) => jsonOf(body),
    ),
    of("bytes", fc.record({ body: contents, type: fc.constantFrom(...types) }), (_, raw) => ({ raw })),
  ];
  const ids = [...nasty.PATHS, on.second.id, on.ada.id.toUpperCase(), `${on.ada.id}\u0000`];
  const guarded = [of("an odd id", fc.constantFrom(...ids), (_, id) => ({ id }))];
  const cursors = of("a forged cursor", forgedCursor(on, route), ({ body, query }, cursor) =>
    isGet ? queryOf({ ...query, cursor }) : jsonOf(JSON.stringify({ ...body, cursor })),
  );
  const own = of("own fields changed", fields(names.length > 0 ? names : nasty.FIELDS, 2), ({ body }, odd) =>
    jsonOf(JSON.stringify({ ...body, ...odd })),
  );
  const name = `${SECRET_MARK} as a name`;
  const bodies = [
    ...[own, own, own],
    of("not quite JSON", fc.nat(4), ({ body }, n) => jsonOf(notQuiteJson(JSON.stringify(body))[n] ?? "")),
    of("fields changed", fields(nasty.FIELDS, 2), ({ body }, odd) =>
      jsonOf(JSON.stringify({ ...body, ...odd })),
    ),
    json("any fields", fields(nasty.FIELDS, 6)),
    json("any JSON", fc.jsonValue({ maxDepth: 6 })),
    of("a secret as a name", fc.constant(1), ({ body }, value) =>
      jsonOf(JSON.stringify({ ...body, [name]: value })),
    ).map((sent) => ({ ...sent, namesSecret: true })),
    // JSON that no program need accept, in the place of a field, beside all, or before the field of the same name.
    of(
      "strange JSON",
      fc.tuple(fc.constantFrom(...nasty.STRANGE, "1", "null"), fc.constantFrom(...names, "x"), fc.boolean()),
      ({ body }, [odd, field, isTwice]) => {
        const rest = JSON.stringify({ ...body, ...(isTwice ? {} : { [field]: undefined }) });
        const more = /^".*":/.test(odd) ? odd : `${JSON.stringify(field)}:${odd}`;
        return jsonOf(`{${more}${rest === "{}" ? "" : ","}${rest.slice(1)}`);
      },
    ),
  ];
  /** Invalid secrets: the response may describe the mistake, and not repeat the secret. */
  const secret = fc.constantFrom(...names.filter((one) => nasty.SECRET_FIELD.test(one)), "password");
  const secrets = of(
    "a bad secret",
    fc.tuple(secret, fc.constantFrom(...nasty.BAD_SECRETS)),
    ({ body }, [field, bad]) => jsonOf(JSON.stringify({ ...body, [field]: bad })),
  );
  const ofAda = `SELECT * FROM "game" WHERE pk = '${keys.sessions(on.ada.id).pk}'`;
  const statements = json(
    "a statement",
    fc.constantFrom(...nasty.STATEMENTS, ofAda).map((statement) => ({ statement })),
  );
  return fc.oneof(
    ...always,
    ...(route.includes("{url_id}") ? guarded : []),
    ...(on.cursors.has(route) ? [cursors, cursors] : []),
    ...(route.includes("inject_sql") ? [statements, statements, statements] : []),
    ...(isGet ? [] : bodies),
    ...(nasty.HAS_SECRET.test(route) ? [secrets, secrets, secrets] : []),
  );
};

/** Requests for an endpoint; the same seed and fixture give the same ones. */
export const casesOf = (
  { route, request }: Handler["endpoint"],
  on: Fixture,
  { cases, seed, pictures }: { cases: number; seed: number; pictures: Buffer[] },
): Case[] => {
  const isGet = route.startsWith("GET ");
  const fields = { body: fieldsOf(request.body), query: fieldsOf(request.query) };
  const words = wordsOf(on, route);
  const objects = { body: objectsOf(fields.body, words), query: objectsOf(fields.query, words) };
  const valid = (part: "body" | "query", apt: Apt | undefined): fc.Arbitrary<Values> => {
    const schema = request[part];
    const merged = fc.tuple(objects[part], apt ?? fc.constant({})).map(([values, given]) => {
      const kept = Object.entries(values).filter(([name]) => apt === undefined || !OF_THE_GAME.has(name));
      const all = Object.entries({ ...Object.fromEntries(kept), ...given });
      return Object.fromEntries(all.filter(([, value]) => value !== undefined));
    });
    if (schema === undefined || route === TAKES_PICTURES) return merged;
    return merged.filter((values) => z.safeParse(schema, values).success);
  };
  const own = aptOf(on)[route];
  const generic = fc.record({ body: valid("body", undefined), query: valid("query", undefined) });
  const apt = fc.record({
    body: valid("body", isGet ? undefined : own),
    query: valid("query", isGet ? own : undefined),
  });
  const drawn = fc.oneof({ weight: 2, arbitrary: apt }, { weight: 1, arbitrary: generic });
  /** One in four with an Idempotency-Key, which another may have had. */
  const unchanged = (some: fc.Arbitrary<Drawn>): fc.Arbitrary<Sent> =>
    fc.tuple(some, fc.nat(11), fc.boolean()).map(([{ body, query }, key, isBare]) => ({
      what: "valid",
      asking: {
        ...(isGet || (isBare && Object.keys(body).length === 0) ? {} : jsonOf(JSON.stringify(body))),
        ...queryOf(query),
        ...(key < 3 ? { key: `${KEY_MARK}-${key}` } : {}),
      },
    }));
  const spoilt = fc.tuple(drawn, fc.nat()).map(([{ body, query }, n]): Sent => {
    const random = randomFrom(n);
    const isOfQuery = isGet || random.chance(Object.keys(fields.query).length > 0 ? 0.6 : 0.05);
    const [asked, said] = isOfQuery
      ? [spoil(query, fields.query, random), body]
      : [query, spoil(body, fields.body, random)];
    return {
      what: "nearly valid",
      asking: { ...queryOf(asked), ...(isGet ? {} : jsonOf(JSON.stringify(said))) },
    };
  });
  const hostile = hostileTo({ route, on, pictures, names: Object.keys(fields.body) }, drawn);
  const kinds = fc.oneof(
    { weight: 6, arbitrary: unchanged(apt) },
    { weight: 3, arbitrary: unchanged(generic) },
    { weight: 7, arbitrary: spoilt },
    { weight: 4, arbitrary: hostile },
  );
  const random = randomFrom(seed);
  const shown = route.includes("{picture_id}") ? { id: on.picture } : {};
  return fc.sample(kinds, { seed, numRuns: cases }).map((sent, turn) => {
    const from = `${ADDRESS}${1 + random.below(200)}.${1 + random.below(250)}`;
    return { ...sent, turn, asking: { from, ...shown, ...sent.asking } };
  });
};
