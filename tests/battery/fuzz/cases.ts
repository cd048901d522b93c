/** The requests that an endpoint is sent: valid, nearly valid and hostile ones, in a random order. */
import fc from "fast-check";
import * as z from "zod/mini";
import type { Handler } from "../../../lib/http/definition.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { randomFrom } from "../../support/battery.ts";
import type { RequestOptions } from "../../support/service.ts";
import { ADDRESS, KEY_MARK } from "./canaries.ts";
import type { Fixture } from "./fixture.ts";
import { type Field, fieldsOf } from "./forms.ts";
import { hostileTo } from "./hostile.ts";
import { spoilRequest } from "./spoilt.ts";
import { merged, ofFields } from "./valid.ts";
import { type Apt, aptOf, wordsOf } from "./words.ts";

/** A valid request before it is sent, or spoilt. */
export interface Drawn {
  method: string;
  bodyFields: Record<string, Field>;
  queryFields: Record<string, Field>;
  body: Record<string, unknown>;
  query: Record<string, string>;
}

export interface Sent {
  /** The kind of request, and how it was changed. */
  what: string;
  asking: RequestOptions;
  /** Whether a secret is the name of a field, which an error may repeat. */
  namesSecret?: boolean;
}

export interface Case extends Sent {
  /** Chooses one of the callers. */
  turn: number;
}

/** A body as JSON text. */
export const jsonOf = (body: string): Pick<RequestOptions, "raw"> => ({
  raw: { body, type: "application/json" },
});

/** Valid requests: by their schemas alone, and such as will succeed. */
const validOf = (own: Handler["endpoint"], on: Fixture): Record<"generic" | "apt", fc.Arbitrary<Drawn>> => {
  const {
    route,
    request: { body, query },
  } = own;
  const [method = ""] = route.split(" ");
  const [bodyFields, queryFields] = [fieldsOf(body), fieldsOf(query)];
  const words = wordsOf(on, route);
  const valid = (schema: z.ZodMiniType | undefined, fields: Record<string, Field>, apt: Apt): Apt => {
    const values = fc.tuple(ofFields(fields, words), apt).map(([one, other]) => merged(one, other));
    if (schema === undefined || route === TAKES_PICTURES) return values;
    return values.filter((value) => z.safeParse(schema, value).success);
  };
  const made = (apt: Apt): fc.Arbitrary<Drawn> => {
    const [forBody, forQuery] = method === "GET" ? [fc.constant({}), apt] : [apt, fc.constant({})];
    return fc
      .record({ body: valid(body, bodyFields, forBody), query: valid(query, queryFields, forQuery) })
      .map(({ body: values, query: asked }) => {
        const texts = Object.entries(asked).map(([name, value]) => [name, String(value)]);
        return { method, bodyFields, queryFields, body: values, query: Object.fromEntries(texts) };
      });
  };
  return { generic: made(fc.constant({})), apt: made(aptOf(on)[route] ?? fc.constant({})) };
};

/** A valid request as it is; one in four with an Idempotency-Key, which another may have had. */
const unchanged = (valid: fc.Arbitrary<Drawn>): fc.Arbitrary<Sent> =>
  fc.tuple(valid, fc.nat(11), fc.boolean()).map(([{ method, body, query }, key, isBare]) => ({
    what: "valid",
    asking: {
      ...(method === "GET" || (isBare && Object.keys(body).length === 0) ? {} : jsonOf(JSON.stringify(body))),
      ...(Object.keys(query).length > 0 ? { query } : {}),
      ...(key < 3 ? { key: `${KEY_MARK}-${key}` } : {}),
    },
  }));

/** Requests for an endpoint; the same seed and fixture give the same ones. */
export const casesOf = (
  own: Handler["endpoint"],
  on: Fixture,
  { cases, seed, pictures }: { cases: number; seed: number; pictures: Buffer[] },
): Case[] => {
  const random = randomFrom(seed);
  const { generic, apt } = validOf(own, on);
  const drawn = fc.oneof({ weight: 2, arbitrary: apt }, { weight: 1, arbitrary: generic });
  const place = { route: own.route, guarded: own.route.includes("{url_id}"), on, pictures };
  const kinds = fc.oneof(
    { weight: 6, arbitrary: unchanged(apt) },
    { weight: 3, arbitrary: unchanged(generic) },
    {
      weight: 7,
      arbitrary: fc.tuple(drawn, fc.nat()).map(([valid, n]) => spoilRequest(valid, randomFrom(n))),
    },
    { weight: 4, arbitrary: hostileTo(place, drawn) },
  );
  return fc.sample(kinds, { seed, numRuns: cases }).map((sent, turn) => {
    const from = `${ADDRESS}${1 + random.below(200)}.${1 + random.below(250)}`;
    return { ...sent, turn, asking: { from, ...sent.asking } };
  });
};
