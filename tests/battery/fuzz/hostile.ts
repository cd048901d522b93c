/** Hostile requests: what nobody sends by mistake. */
import fc from "fast-check";
import { anyCharacter } from "../../support/codePoints.ts";
import { honest } from "../../support/pictures.ts";
import { SECRET_MARK } from "./canaries.ts";
import { type Drawn, jsonOf, type Sent } from "./cases.ts";
import type { Fixture } from "./fixture.ts";
import * as nasty from "./nasty.ts";

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...nasty.NASTY_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...nasty.NASTY_NUMBERS) },
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.constantFrom(true, false, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const fieldsOf = (names: readonly string[], least: number, most: number) =>
  fc.dictionary(fc.constantFrom(...names), value, { minKeys: least, maxKeys: most });

/** Cursors that were not given for this list: cut, changed, of another list, or made up. */
const forgedCursor = (on: Fixture, own: string): fc.Arbitrary<string> => {
  const cursors = [...on.cursors].flatMap(([route, pages]) => pages.map(({ cursor }) => ({ route, cursor })));
  const any = fc.constantFrom(...cursors.map(({ cursor }) => cursor));
  return fc.oneof(
    fc.tuple(any, fc.nat(200)).map(([cursor, at]) => cursor.slice(0, at % cursor.length)),
    fc.tuple(any, fc.nat(200)).map(([cursor, at]) => {
      const bytes = Buffer.from(cursor, "base64url");
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
      return bytes.toString("base64url");
    }),
    any.map((cursor) => `${cursor}=`),
    fc.constantFrom(...cursors.filter(({ route }) => route !== own).map(({ cursor }) => cursor)),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
    fc.constantFrom(...nasty.NASTY_TEXTS),
  );
};

/** Pictures, complete and cut off. */
export const readPictures = async (): Promise<Buffer[]> => {
  const made = await Promise.all(Object.values(honest).map((make) => make()));
  return made.flatMap((bytes) => [
    bytes,
    bytes.subarray(0, Math.floor(bytes.length / 2)),
    bytes.subarray(0, 3),
  ]);
};

/** Hostile requests to an endpoint, some of them made of valid ones. */
export const hostileTo = (
  { route, guarded, on, pictures }: { route: string; guarded: boolean; on: Fixture; pictures: Buffer[] },
  valid: fc.Arbitrary<Drawn>,
): fc.Arbitrary<Sent> => {
  const isGet = route.startsWith("GET ");
  const sent = (what: string, asking: Sent["asking"], namesSecret = false): Sent => ({
    what: `hostile: ${what}`,
    asking,
    namesSecret,
  });
  const json = (what: string, body: unknown): Sent => sent(what, jsonOf(JSON.stringify(body) ?? ""));
  const complete = ({ body, query }: Drawn): Sent["asking"] => ({
    ...(isGet ? {} : jsonOf(JSON.stringify(body))),
    ...(Object.keys(query).length > 0 ? { query } : {}),
  });
  const nastyText = fc.constantFrom(...nasty.NASTY_TEXTS);
  const oddQuery = fc.dictionary(fc.constantFrom("limit", "cursor", "state", "root", "x"), nastyText, {
    maxKeys: 3,
  });
  const ids = fc.constantFrom(...nasty.PATHS, on.second.id, on.ada.id.toUpperCase(), `${on.ada.id}\u0000`);

  const queries = fc
    .tuple(valid, oddQuery)
    .map(([drawn, odd]) => sent("a query", { ...complete(drawn), query: { ...drawn.query, ...odd } }));
  const headers = fc
    .tuple(valid, fc.constantFrom(...nasty.ODD_HEADERS))
    .map(([drawn, odd]) => sent("odd headers", { ...complete(drawn), headers: odd }));
  const paths = fc.tuple(valid, ids).map(([drawn, id]) => sent("an odd id", { ...complete(drawn), id }));
  const cursors = fc
    .tuple(valid, forgedCursor(on, route))
    .map(([{ query, body }, cursor]) =>
      isGet
        ? sent("a forged cursor", { query: { ...query, cursor } })
        : json("a forged cursor", { ...body, cursor }),
    );
  const texts = fc
    .oneof(fc.constantFrom(...nasty.BODIES), fc.string({ unit: anyCharacter, maxLength: 60 }))
    .map((text) => sent("a text", jsonOf(text)));
  const contents = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
    fc.constantFrom(...pictures),
  );
  const bytes = fc
    .tuple(
      contents,
      fc.constantFrom("application/json", "image/png", "application/octet-stream", "IMAGE/*", "text/plain"),
    )
    .map(([body, type]) => sent(`${body.length} bytes as ${type}`, { raw: { body, type } }));

  const changed = fc
    .tuple(valid, fieldsOf(nasty.FIELDS, 1, 2))
    .map(([{ body }, change]) => json("fields changed", { ...body, ...change }));
  const own = valid.chain(({ body, bodyFields }) => {
    const names = Object.keys(bodyFields);
    return fieldsOf(names.length > 0 ? names : nasty.FIELDS, 1, 2).map((change) =>
      json("own fields changed", { ...body, ...change }),
    );
  });
  const named = valid.map(({ body }) =>
    sent("a secret as a name", jsonOf(JSON.stringify({ ...body, [`${SECRET_MARK} as a name`]: 1 })), true),
  );
  /** JSON that no program need accept, as a field or beside all fields. */
  const strange = fc
    .tuple(valid, fc.constantFrom(...nasty.STRANGE), fc.nat())
    .map(([{ body, bodyFields }, odd, n]) => {
      const names = [...Object.keys(bodyFields), "nonsense"];
      const name = names[n % names.length] ?? "";
      const { [name]: _, ...rest } = body;
      const more = /^".*":/.test(odd) ? odd : `${JSON.stringify(name)}:${odd}`;
      const text = JSON.stringify(rest);
      return sent("strange JSON", jsonOf(text === "{}" ? `{${more}}` : `${text.slice(0, -1)},${more}}`));
    });
  /** Invalid secrets: the response may describe the mistake, and not repeat the secret. */
  const secrets = fc
    .tuple(valid, fc.constantFrom(...nasty.BAD_SECRETS), fc.nat())
    .map(([{ body, bodyFields }, bad, n]) => {
      const names = Object.keys(bodyFields).filter((name) => nasty.SECRET_FIELD.test(name));
      return json("a bad secret", { ...body, [names[n % names.length] ?? "password"]: bad });
    });
  const statements = fc
    .constantFrom(...nasty.STATEMENTS)
    .map((statement) => json("a statement", { statement }));
  const anyJson = fc.jsonValue({ maxDepth: 6 }).map((body) => json("any JSON", body));
  const anyFields = fieldsOf(nasty.FIELDS, 0, 6).map((body) => json("any fields", body));

  const bodies = [changed, own, own, own, anyFields, anyJson, named, strange, strange];
  return fc.oneof(
    ...[queries, headers, texts, bytes],
    ...(guarded ? [paths] : []),
    ...(on.cursors.has(route) ? [cursors, cursors] : []),
    ...(route.includes("inject_sql") ? [statements, statements, statements] : []),
    ...(isGet ? [] : bodies),
    ...(nasty.HAS_SECRET.test(route) ? [secrets, secrets, secrets] : []),
  );
};
