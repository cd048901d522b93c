/** The requests that an endpoint is sent: valid, nearly valid and hostile ones, in a random order. */
import fc from "fast-check";
import * as z from "zod/mini";
import { keys } from "../../../lib/store/keys.ts";
import type { Documented } from "../../../scripts/openapi/document.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { type Random, randomFrom } from "../../support/battery.ts";
import { anyCharacter } from "../../support/codePoints.ts";
import { honest } from "../../support/pictures.ts";
import type { RequestOptions } from "../../support/service.ts";
import { ADDRESS, KEY_MARK, SECRET_MARK } from "./canaries.ts";
import type { Fixture } from "./fixture.ts";
import * as nasty from "./nasty.ts";
import { type Field, fieldsOf, objectsOf, type Values } from "./values.ts";
import { aptOf, OF_THE_GAME, STATEMENTS, wordsOf } from "./words.ts";

/** A valid request before it is sent, or spoilt. */
type Drawn = Record<"body" | "query", Values>;

export interface Sent {
  /** The kind of request. */
  what: string;
  asking: RequestOptions;
}

/** A request, and a number that chooses one of the callers. */
export type Case = Sent & { turn: number };

/** The kind of request in which a secret is the name of a field, which an error may repeat. */
export const SECRET_AS_NAME = "a secret as a name";

const textOf = (body: string): RequestOptions => ({ raw: { body, type: "application/json" } });
const jsonOf = (value: unknown): RequestOptions => textOf(JSON.stringify(value));

const queryOf = (values: Values): RequestOptions => {
  const query = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return Object.keys(query).length > 0 ? { query } : {};
};

/** Variants of a value: with a typical mistake, or with one change that is still valid. */
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
    ...[value.toUpperCase(), value.normalize("NFD"), letters.toSpliced(at, 1).join("")],
    ...["a", "0", "-", "é", "\u200b"].map((one) => letters.toSpliced(at, 0, one).join("")),
    ...["z", "9", "ß", "@", "\u0430"].map((one) => letters.toSpliced(at, 1, one).join("")),
    ...["a".repeat(minLength), value.slice(0, Math.max(0, minLength - 1))],
    ...[value.padEnd(longest, "a"), value.padEnd(longest + 1, "a")],
    ...["٥", `+${value}`, `-${value}`, `${value}.0`, `0x${value}`],
    ...[minimum - 1, minimum, maximum, maximum + 1].map(String),
    ...others,
  ];
};

const nearNames = (name: string): string[] => [
  ...[name.toUpperCase(), `${name}s`, `${name} `, `_${name}`, "constructor", "toString"],
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
    return { ...values, [name]: random.pick(mistakes(value, field, random)) };
  return { ...(random.chance(0.5) ? values : rest), [random.pick(nearNames(name))]: value };
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

const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
const anyBytes = fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some));

/** Some fields, with any values. */
const someOf = (names: readonly string[], most = 2) =>
  fc.dictionary(fc.constantFrom(...names), anything, { minKeys: 1, maxKeys: most });

/** Pictures, complete and cut off. */
export const readPictures = async (): Promise<Buffer[]> => {
  const made = await Promise.all(Object.values(honest).map((make) => make()));
  return made.flatMap((bytes) => [bytes, bytes.subarray(0, bytes.length / 2), bytes.subarray(0, 3)]);
};

const TYPES = ["application/json", "image/png", "application/octet-stream", "IMAGE/*", "text/plain"];

/** Makes a request that is invalid on purpose, sometimes by changing a valid one. @param names the fields of the body */
const hostileTo = (
  { route, on, pictures, names }: { route: string; on: Fixture; pictures: Buffer[]; names: string[] },
  { body, query }: Drawn,
  draw: fc.GeneratorValue,
): Sent => {
  const isGet = route.startsWith("GET ");
  const one = <T>(...from: T[]): T => draw(() => fc.constantFrom(...from));
  const some = <T>(from: fc.Arbitrary<T>): T => draw(() => from);
  const ownFields = names.length > 0 ? names : nasty.FIELDS;
  const secrets = names.filter((name) => nasty.SECRET_FIELD.test(name));
  /** A valid statement about a secret partition, or one with a text inserted at any place. */
  const hostileStatement = (): string => {
    const { statement } = one(...STATEMENTS);
    const at = some(fc.nat(statement.length));
    return one(
      statement.replace(/'[^']*'/, `'${keys.sessions(on.ada.id).pk}'`),
      statement.slice(0, at) + one(...nasty.IN_STATEMENTS) + statement.slice(at),
    );
  };
  const badSecret = () => ({ [one(...secrets)]: one(...nasty.BAD_SECRETS) });
  const ids = [...nasty.PATHS, on.sue.id, on.ada.id.toUpperCase(), `${on.ada.id}\u0000`];
  const ways: [weight: number, what: string, make: () => RequestOptions][] = [
    [1, "a query", () => queryOf({ ...query, ...some(someOf(["limit", "cursor", "state", "x"])) })],
    [1, "odd headers", () => ({ headers: one(...nasty.ODD_HEADERS) })],
    [1, "a text", () => textOf(one(...nasty.BODIES, some(anyText)))],
    [1, "bytes", () => ({ raw: { body: one(some(anyBytes), ...pictures), type: one(...TYPES) } })],
    [route.includes("{url_id}") ? 1 : 0, "an odd id", () => ({ id: one(...ids) })],
    [isGet ? 0 : 3, "own fields changed", () => jsonOf({ ...body, ...some(someOf(ownFields)) })],
    [isGet ? 0 : 2, "fields of others", () => jsonOf({ ...one(body, {}), ...some(someOf(nasty.FIELDS, 4)) })],
    [isGet ? 0 : 1, "any JSON", () => jsonOf(some(fc.jsonValue({ maxDepth: 6 })))],
    [isGet ? 0 : 1, SECRET_AS_NAME, () => jsonOf({ ...body, [`${SECRET_MARK} as a name`]: 1 })],
    [route.includes("inject_sql") ? 3 : 0, "a statement", () => jsonOf({ statement: hostileStatement() })],
    // The response may describe the mistake, but must not repeat the secret.
    [secrets.length > 0 ? 3 : 0, "a bad secret", () => jsonOf({ ...body, ...badSecret() })],
  ];
  const [, what, make] = one(...ways.flatMap((way) => Array<(typeof ways)[0]>(way[0]).fill(way)));
  return { what, asking: { ...queryOf(query), ...(isGet ? {} : jsonOf(body)), ...make() } };
};

/** Requests for an endpoint; the same seed and fixture give the same ones. */
export const casesOf = (
  own: Documented,
  on: Fixture,
  { cases, seed, pictures }: { cases: number; seed: number; pictures: Buffer[] },
): Case[] => {
  const { route, request } = own.info;
  const isGet = route.startsWith("GET ");
  const fields = { body: fieldsOf(request.body), query: fieldsOf(request.query) };
  const words = wordsOf(on, route);
  const valid = (part: "body" | "query", given?: fc.Arbitrary<Values>): fc.Arbitrary<Values> => {
    const schema = request[part];
    const objects = objectsOf(fields[part], words);
    const merged = fc.tuple(objects, given ?? fc.constant({})).map(([values, apt]) => {
      const kept = Object.entries(values).filter(([name]) => given === undefined || !OF_THE_GAME.has(name));
      const all = Object.entries({ ...Object.fromEntries(kept), ...apt });
      return Object.fromEntries(all.filter(([, value]) => value !== undefined));
    });
    // A picture is decoded before its schema is checked.
    if (schema === undefined || TAKES_PICTURES.has(route)) return merged;
    return merged.filter((values) => z.safeParse(schema, values).success);
  };
  const generic: fc.Arbitrary<Drawn> = fc.record({ body: valid("body"), query: valid("query") });
  const part = isGet ? "query" : "body";
  const apt = fc
    .tuple(generic, valid(part, aptOf(on, own)))
    .map(([any, given]) => ({ ...any, [part]: given }));
  const drawn = fc.oneof({ weight: 2, arbitrary: apt }, { weight: 1, arbitrary: generic });
  /** One in four with an Idempotency-Key, which an earlier request may have had. */
  const unchanged = (from: fc.Arbitrary<Drawn>): fc.Arbitrary<Sent> =>
    fc.tuple(from, fc.nat(11), fc.boolean()).map(([{ body, query }, key, isBare]) => ({
      what: "valid",
      asking: {
        ...(isGet || (isBare && Object.keys(body).length === 0) ? {} : jsonOf(body)),
        ...queryOf(query),
        ...(key < 3 ? { key: `${KEY_MARK}-${key}` } : {}),
      },
    }));
  const spoilt = fc.tuple(drawn, fc.nat()).map(([{ body, query }, n]): Sent => {
    const random = randomFrom(n);
    const isOfQuery = isGet || random.chance(Object.keys(fields.query).length > 0 ? 0.6 : 0.05);
    const asked = isOfQuery ? spoil(query, fields.query, random) : query;
    const said = isGet ? {} : jsonOf(isOfQuery ? body : spoil(body, fields.body, random));
    return { what: "nearly valid", asking: { ...queryOf(asked), ...said } };
  });
  const target = { route, on, pictures, names: Object.keys(fields.body) };
  const hostile = fc.tuple(drawn, fc.gen()).map(([of, draw]) => hostileTo(target, of, draw));
  const kinds = fc.oneof(
    { weight: 6, arbitrary: unchanged(apt) },
    { weight: 3, arbitrary: unchanged(generic) },
    { weight: 7, arbitrary: spoilt },
    { weight: 4, arbitrary: hostile },
  );
  const random = randomFrom(seed);
  const id = { picture_id: on.picture, season_id: on.season }[/\{(\w+)\}/.exec(route)?.[1] ?? ""];
  return fc.sample(kinds, { seed, numRuns: cases }).map((sent, turn) => {
    const from = `${ADDRESS}${1 + random.below(200)}.${1 + random.below(250)}`;
    return { ...sent, turn, asking: { from, ...(id === undefined ? {} : { id }), ...sent.asking } };
  });
};
