/** Bodies of any kind, hundreds to every POST endpoint, from one who may do anything: never a 5xx. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { keys } from "../../lib/store/keys.ts";
import { type Asking, QUICK } from "../support/service.ts";
import { GOOD, nested, raw, sceneOn } from "./bodies.ts";
import { PRESENT } from "./seed.ts";
import { isTextual, watchedStage } from "./support.ts";

const w = watchedStage();
const { s } = w;

const POSTS = PRESENT.filter(({ route }) => route.startsWith("POST ")).map(({ route }) => route);

const NASTY_TEXTS = [
  "",
  " ",
  "\u0000",
  "Ada",
  "ada ",
  "Zed",
  "👻",
  "👻".repeat(64),
  "ﷺ".repeat(40),
  "ΐ".repeat(64),
  "a".repeat(5_000),
  "AAAA2222",
  "ßßßßßßßß",
  "2026-11-21T07:24:00Z",
  "9999-12-31T23:59:59.999-23:59",
  "0000-01-01T00:00:00+23:59",
  "2026-02-30T00:00:00Z",
  "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11",
  "constructor",
  "__proto__",
  "toString",
  "$\u007bjndi:ldap://x}",
  "'; DROP TABLE game; --",
  "<script>alert(1)</script>",
  "\u202eevil",
  "\ufeff",
  "a@b.co",
  "null",
  "NaN",
];

const NASTY_NUMBERS = [
  0,
  -0,
  1,
  -1,
  1.5,
  2,
  1_000,
  1_001,
  90,
  180,
  -181,
  1e-200,
  5e-324,
  1e21,
  2 ** 53,
  -(2 ** 53),
  0.1 + 0.2,
];

const RAW_BODIES = [
  "{",
  "[",
  '{"alias":"\\ud800"}',
  '{"tag_code":"\\udfff\\ud800"}',
  '{"n":1e400}',
  '{"n":-0}',
  '{"n":1.0}',
  '{"n":1e0}',
  '{"__proto__":{"alias":"Ada"}}',
  '{"alias":"Ada","alias":"Ben"}',
  '{"constructor":{"prototype":{}}}',
  `{"alias":${nested(25)}}`,
  '{"alias":"Ada"}\u0000',
  "\ufeff{}",
  "﻿",
];

describe("bodies of any kind", () => {
  const FIELDS = [
    ...[
      "alias",
      "password",
      "first_name",
      "last_name",
      "email",
      "join_code",
      "everywhere",
      "current_password",
    ],
    ...["new_password", "recovery_code", "player_id", "n", "tag_code", "hunted_at", "share_with", "latitude"],
    ...["longitude", "note", "is_admin", "nonsense"],
    ...["name", "description", "closes_at", "applies_to", "clear", "dry_run", "checkpoint_id", "alias_to"],
    ...[
      "clear_picture",
      "image",
      "endpoint",
      "p256dh",
      "auth",
      "keys",
      "expirationTime",
      "title",
      "content",
      "player_groups",
    ],
  ];
  const scalar = fc.oneof(
    fc.constantFrom(...NASTY_TEXTS),
    fc.constantFrom(...NASTY_NUMBERS),
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
  /** Changes to a good body, a body of known fields, any JSON at all, or text that is none. */
  type Sent = { change: Record<string, unknown> } | { body: unknown } | { text: string };
  const sent: fc.Arbitrary<Sent> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .dictionary(fc.constantFrom(...FIELDS), value, { minKeys: 1, maxKeys: 2 })
        .map((change) => ({ change })),
    },
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 }).map((body) => ({ body })),
    },
    {
      weight: 1,
      arbitrary: fc
        .record({
          latitude: fc.oneof(
            fc.double({ min: -90, max: 90, noNaN: true }),
            fc.constantFrom(...NASTY_NUMBERS),
          ),
          longitude: fc.oneof(
            fc.double({ min: -180, max: 180, noNaN: true }),
            fc.constantFrom(...NASTY_NUMBERS),
          ),
        })
        .map((change) => ({ change })),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 6 }).map((body) => ({ body })) },
    { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES).map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map((text) => ({ text })) },
  );

  /** Sent ten at a time, as a crowd does. */
  const RUNS = QUICK ? 4 : 30;
  const AT_ONCE = 10;
  let cases = 0;

  it.each(POSTS)("never bring %s to its knees", async (route) => {
    const on = await sceneOn(s);
    const isHunt = route.includes("/zombie/");
    if (isHunt) await s.outbreak(on.gm, on.gm);
    const statuses = new Map<number, number>();
    let here = 0;

    const send = async (what: Sent): Promise<void> => {
      const asking: Asking =
        "text" in what
          ? raw(what.text)
          : raw(
              JSON.stringify("change" in what ? { ...GOOD[route]?.(on), ...what.change } : what.body) ?? "",
            );
      const result = await s.call(route, { as: on.gm, ...asking });
      here += 1;
      cases += 1;
      statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
      const say = `${JSON.stringify(what)}: ${result.status} ${result.text}`;
      expect(result.status, say).toBeLessThan(500);
      expect(result.headers["x-request-id"], say).toBeTypeOf("string");
      expect(result.text, say).not.toMatch(/dynamo|ValidationException|stack|node_modules|at .*\.ts:/i);
      if (result.status !== 400 || isTextual(route)) return;
      for (const { message } of result.body.errors) expect(message, say).not.toBe("Invalid input");
    };

    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (crowd) => {
        if (isHunt) {
          // Else ten unknown codes would be the end of it, and so would the one human's being tagged.
          const hunter = await w.engine().get(keys.player(on.gm.id));
          if (hunter !== undefined) await w.engine().put({ ...hunter, misses: [] });
          if (here % 50 === 0) on.ben = await s.join(`Prey ${here}`);
        }
        await Promise.all(crowd.map(send));
        if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(here).toBe(RUNS * AT_ONCE);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(here / 4);
  });

  afterAll(() => {
    expect(cases).toBeGreaterThanOrEqual(RUNS * AT_ONCE * POSTS.length);
  });
});
