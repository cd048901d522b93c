/** The requests that an endpoint is sent: so many valid, so many nearly, so many hostile ones, in a mixed order. */
import fc from "fast-check";
import * as z from "zod/mini";
import type { Handler } from "../../../lib/http/definition.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { randomFrom } from "../../support/battery.ts";
import { ADDRESS, KEY_MARK } from "./canaries.ts";
import { fieldsOf } from "./forms.ts";
import { hostileTo } from "./hostile.ts";
import { spoilRequest } from "./nearly.ts";
import type { Scene } from "./scene.ts";
import { type Drawn, jsonOf, type Sent } from "./sent.ts";
import { merged, ofFields } from "./valid.ts";
import { type Apt, aptOf, wordsOf } from "./words.ts";

/** Of every twenty requests so many are valid, apt ones first, so many nearly, and the rest hostile. */
const APT = 6;
const GENERIC = 3;
const NEARLY = 7;
const OF = 20;

/** A request of the asker whose turn it is. */
export interface Case extends Sent {
  /** Which of those who may ask. */
  turn: number;
}

/** Valid requests by their schemas alone, and such as will be carried out. */
const validOf = (
  own: Handler["endpoint"],
  on: Scene,
): { generic: fc.Arbitrary<Drawn>; apt: fc.Arbitrary<Drawn> } => {
  const { route, request, isIdempotent: once } = own;
  const { body, query } = request;
  const [method = ""] = route.split(" ");
  const bodyFields = fieldsOf(body);
  const queryFields = fieldsOf(query);
  const words = wordsOf(on, route);
  const fitting = (schema: z.ZodMiniType | undefined, values: fc.Arbitrary<Record<string, unknown>>) =>
    schema === undefined || route === TAKES_PICTURES
      ? values
      : values.filter((value) => z.safeParse(schema, value).success);
  const made = (more: Apt) => {
    const [forBody, forQuery] = method === "GET" ? [fc.constant({}), more] : [more, fc.constant({})];
    const together = (fields: typeof bodyFields, apt: Apt) =>
      fc.tuple(ofFields(fields, words), apt).map(([one, other]) => merged(one, other));
    return fc
      .record({
        body: fitting(body, together(bodyFields, forBody)),
        query: fitting(query, together(queryFields, forQuery)),
      })
      .map(({ body: values, query: asked }): Drawn => {
        const texts = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
        return { method, bodyFields, queryFields, body: values, query: texts, once };
      });
  };
  return { generic: made(fc.constant({})), apt: made(aptOf(on)[route] ?? fc.constant({})) };
};

const KEYS = ["a", "b", "c"].map((name) => `${KEY_MARK}-${name}`);

const asItIs =
  (kind: string) =>
  ([{ method, body, query }, key, blank]: [Drawn, number, boolean]): Sent => {
    const isEmpty = Object.keys(body).length === 0 && blank;
    const keyOf = KEYS[key];
    return {
      what: `valid, ${kind}`,
      wrong: [],
      asking: {
        ...(method === "GET" || isEmpty ? {} : jsonOf(JSON.stringify(body))),
        ...(Object.keys(query).length > 0 ? { query } : {}),
        ...(keyOf === undefined ? {} : { key: keyOf }),
      },
    };
  };

/** So many requests for an endpoint; the same seed makes the same ones of the same scene. */
export const casesOf = (
  own: Handler["endpoint"],
  on: Scene,
  { cases, seed, pictures }: { cases: number; seed: number; pictures: Buffer[] },
): Case[] => {
  const random = randomFrom(seed);
  const { generic, apt } = validOf(own, on);
  const drawn = fc.oneof({ weight: 2, arbitrary: apt }, { weight: 1, arbitrary: generic });
  const sample = (requests: fc.Arbitrary<Sent>, share: number): Sent[] =>
    fc.sample(requests, { seed, numRuns: Math.ceil((cases * share) / OF) });
  // One in four has a key, which another may have had.
  const keyed = (valid: fc.Arbitrary<Drawn>) => fc.tuple(valid, fc.nat(11), fc.boolean());
  const place = { route: own.route, guarded: own.access !== "public", on, pictures };
  const all = [
    ...sample(keyed(apt).map(asItIs("apt")), APT),
    ...sample(keyed(generic).map(asItIs("of any kind")), GENERIC),
    ...sample(
      fc.tuple(drawn, fc.nat()).map(([valid, n]) => spoilRequest(valid, randomFrom(n))),
      NEARLY,
    ),
    ...sample(hostileTo(place, drawn), OF - APT - GENERIC - NEARLY),
  ];
  return random
    .shuffle(all)
    .slice(0, cases)
    .map((sent, turn) => {
      const from = `${ADDRESS}${1 + random.below(200)}.${1 + random.below(250)}`;
      return { ...sent, turn, asking: { from, ...sent.asking } };
    });
};
