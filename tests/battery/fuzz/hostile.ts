/** Hostile: what nobody sends by mistake. Texts, numbers, bodies, bytes, headers, ids and cursors that break programs. */
import fc from "fast-check";
import { honest } from "../../support/pictures.ts";
import { SECRET_MARK } from "./canaries.ts";
import {
  BAD_SECRETS,
  FIELDS,
  HAS_SECRET,
  NASTY_NUMBERS,
  NASTY_TEXTS,
  ODD_HEADERS,
  PATHS,
  SECRET_FIELD,
  STATEMENTS,
  STRANGE,
  TEXTS,
} from "./nasty.ts";
import type { Scene } from "./scene.ts";
import { type Drawn, jsonOf, type Sent } from "./sent.ts";

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...NASTY_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NASTY_NUMBERS) },
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** A cursor that nobody was given for this: cut, changed, of another list, or made up. */
const forged = (on: Scene, own: string): fc.Arbitrary<string> => {
  const all = [...on.turned.values()].flat().map(({ cursor }) => cursor);
  const others = [...on.turned].filter(([route]) => route !== own).flatMap(([, pages]) => pages);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...all), fc.nat(200)).map(([cursor, at]) => cursor.slice(0, at % cursor.length)),
    fc.tuple(fc.constantFrom(...all), fc.nat(200)).map(([cursor, at]) => {
      const bytes = Buffer.from(cursor, "base64url");
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
      return bytes.toString("base64url");
    }),
    fc.constantFrom(...all).map((cursor) => `${cursor}=`),
    fc.constantFrom(...others).map(({ cursor }) => cursor),
    fc.uint8Array({ minLength: 0, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
    fc.constantFrom(...NASTY_TEXTS),
  );
};

interface Place {
  route: string;
  guarded: boolean;
  on: Scene;
  pictures: Buffer[];
}

/** Pictures, whole and cut. */
export const readPictures = async (): Promise<Buffer[]> => {
  const made = await Promise.all(Object.values(honest).map((make) => make()));
  return made.flatMap((bytes) => [
    bytes,
    bytes.subarray(0, Math.floor(bytes.length / 2)),
    bytes.subarray(0, 3),
  ]);
};

/** Hostile requests, made of a valid one where they need it. */
export const hostileTo = (
  { route, guarded, on, pictures }: Place,
  valid: fc.Arbitrary<Drawn>,
): fc.Arbitrary<Sent> => {
  const sent = (what: string, asking: Sent["asking"], more: Partial<Sent> = {}): Sent => ({
    what: `hostile: ${what}`,
    asking,
    wrong: [],
    ...more,
  });
  const whole = ({ method, body, query }: Drawn): Sent["asking"] => ({
    ...(method === "GET" ? {} : jsonOf(JSON.stringify(body))),
    ...(Object.keys(query).length > 0 ? { query } : {}),
  });
  const queries = fc
    .tuple(
      valid,
      fc.dictionary(
        fc.constantFrom("limit", "cursor", "state", "root", "x"),
        fc.constantFrom(...NASTY_TEXTS),
        { maxKeys: 3 },
      ),
    )
    .map(([drawn, odd]) => sent("a query", { ...whole(drawn), query: { ...drawn.query, ...odd } }));
  const headers = fc
    .tuple(valid, fc.constantFrom(...ODD_HEADERS))
    .map(([drawn, odd]) => sent("odd headers", { ...whole(drawn), headers: odd }));
  const paths = fc
    .tuple(valid, fc.constantFrom(...PATHS, on.second.id, on.ada.id.toUpperCase(), `${on.ada.id}\u0000`))
    .map(([drawn, id]) => sent(`at the id ${JSON.stringify(id).slice(0, 60)}`, { ...whole(drawn), id }));
  const changes = fc
    .tuple(valid, fc.dictionary(fc.constantFrom(...FIELDS), value, { minKeys: 1, maxKeys: 2 }))
    .map(([drawn, change]) => sent("fields changed", jsonOf(JSON.stringify({ ...drawn.body, ...change }))));
  const own = valid.chain(({ body, bodyFields }) => {
    const names = Object.keys(bodyFields);
    return fc
      .dictionary(fc.constantFrom(...(names.length > 0 ? names : FIELDS)), value, { minKeys: 1, maxKeys: 2 })
      .map((change) => sent("own fields changed", jsonOf(JSON.stringify({ ...body, ...change }))));
  });
  const fields = fc
    .dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 })
    .map((body) => sent("any fields", jsonOf(JSON.stringify(body))));
  const anything = fc
    .jsonValue({ maxDepth: 6 })
    .map((body) => sent("any JSON", jsonOf(JSON.stringify(body) ?? "")));
  const texts = fc
    .oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 60 }))
    .map((text) => sent("a text", jsonOf(text)));
  const bytes = fc
    .tuple(
      fc.oneof(
        fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
        fc.constantFrom(...pictures),
      ),
      fc.constantFrom("application/json", "image/png", "application/octet-stream", "IMAGE/*", "text/plain"),
    )
    .map(([body, type]) => sent(`${body.length} bytes as ${type}`, { raw: { body, type } }));
  const named = valid.map((drawn) =>
    sent("a secret as a name", jsonOf(JSON.stringify({ ...drawn.body, [`${SECRET_MARK} for a name`]: 1 })), {
      namesSecret: true,
      wrong: [`${SECRET_MARK} for a name`],
    }),
  );
  /** What JSON can say and no program should have to bear, in the place of a field or beside all of them. */
  const strange = fc
    .tuple(valid, fc.constantFrom(...STRANGE), fc.nat())
    .map(([{ body, bodyFields }, odd, n]) => {
      const names = [...Object.keys(bodyFields), "nonsense"];
      const name = JSON.stringify(names[n % names.length]);
      const { [JSON.parse(name)]: _gone, ...rest } = body;
      const whole = JSON.stringify(rest);
      const more = odd.startsWith('"') && odd.includes('":') ? odd : `${name}:${odd}`;
      return sent(
        "what JSON can say",
        jsonOf(whole === "{}" ? `{${more}}` : `${whole.slice(0, -1)},${more}}`),
      );
    });
  /** Secrets that will not do: what is wrong with them is said, and not what they are. */
  const secrets = fc
    .tuple(valid, fc.constantFrom(...BAD_SECRETS), fc.nat())
    .map(([{ body, bodyFields }, bad, n]) => {
      const names = Object.keys(bodyFields).filter((name) => SECRET_FIELD.test(name));
      const name = names[n % names.length] ?? "password";
      return sent(`a bad secret as ${name}`, jsonOf(JSON.stringify({ ...body, [name]: bad })));
    });
  const statements = fc
    .constantFrom(...STATEMENTS)
    .map((statement) => sent("a statement", jsonOf(JSON.stringify({ statement }))));
  const cursors = fc.tuple(valid, forged(on, route)).map(([drawn, cursor]) => {
    if (route.startsWith("GET ")) return sent("a forged cursor", { query: { ...drawn.query, cursor } });
    return sent("a forged cursor", jsonOf(JSON.stringify({ ...drawn.body, cursor })));
  });
  const isGet = route.startsWith("GET ");
  const hasSecret = HAS_SECRET.test(route);
  const bodies = [changes, own, fields, anything, texts, bytes, named, strange, strange];
  return fc.oneof(
    queries,
    headers,
    ...(guarded ? [paths] : []),
    ...(on.turned.has(route) ? [cursors, cursors] : []),
    ...(route.includes("inject_sql") ? [statements, statements, statements] : []),
    // A GET looks at no body, whatever it is.
    ...(isGet ? [texts, bytes] : [...bodies, own, own, ...(hasSecret ? [secrets, secrets, secrets] : [])]),
  );
};
