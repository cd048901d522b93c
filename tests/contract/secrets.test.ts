/**
 * Secrets that a response shows once: a repeated request does not show them again, and neither the table nor the log has
 * them. A new field that looks like a secret must be named here.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { MINUTE } from "../../lib/domain/time.ts";
import { isRecord } from "../../lib/runtime/objects.ts";
import { keys } from "../../lib/store/keys.ts";
import { SHOWN_ONCE } from "../../lib/store/storedNames.ts";
import { logLines } from "../support/logLines.ts";
import { PASSWORD, type RequestOptions, testEnvironment } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { scan } from "../support/table.ts";
import { DOCUMENTED } from "./endpoints.ts";
import { createExampleGame, exampleRequest, STAND_INS } from "./exampleGame.ts";
import { withoutSecrets } from "./support.ts";

const s = testEnvironment({ at: Date.parse("2026-10-31T12:00:00Z") });
const lines = logLines();

/** Fields of responses that are random or are named like a secret, and are shown whenever somebody asks. */
const SHOWN_AGAIN = [
  ...["player_ref", "actor_ref", "target_ref", "picture_id", "next_cursor", "etag", "seed", "public_key"],
  ...["picture_url", "actor_picture_url", "target_picture_url"],
  // To its player, and to game masters.
  ...["tag_code", "join_codes", "codes"],
  // Not a secret: the kind of a token, what is wrong with a row, and whether a code is needed.
  ...["token_type", "code", "needs_join_code"],
];
const LOOKS_SECRET = /secret|token|passw|code|key|hash|cookie|credential/i;

/** The names of all fields in a schema. */
const fieldsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(fieldsIn);
  if (!isRecord(value)) return [];
  const own = isRecord(value.properties) ? Object.keys(value.properties) : [];
  return [...own, ...Object.values(value).flatMap(fieldsIn)];
};

const fieldsOf = ({ info }: (typeof DOCUMENTED)[number]): string[] => {
  const { schema } = info.response;
  return schema === null ? [] : fieldsIn(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }));
};

/** The values of the fields that are shown once. Of a token, only its random part is secret. */
const secretsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    SHOWN_ONCE.includes(name) && typeof inner === "string"
      ? [inner.slice(inner.lastIndexOf(".") + 1)]
      : secretsIn(inner),
  );
};

type Game = Awaited<ReturnType<typeof createExampleGame>>;

const WEBHOOKS = { webhooks: [{ url: "https://example.org/hook", format: "signed" }] };

/** Bodies that get a secret, where the example gets none. */
const BODIES: Readonly<Record<string, (on: Game) => object | Promise<object>>> = {
  "POST /new": () => ({ alias: "Newcomer", password: PASSWORD, login: true }),
  "POST /admin/settings/{url_id}": () => WEBHOOKS,
  "POST /change_password": async ({ gm: as }) => {
    const { body } = await s.must("POST /admin/recover_password/{url_id}", { as, body: { alias: "Ben" } });
    return { alias: "Ben", recovery_code: body.recovery_code, new_password: "another horse" };
  },
};

it("every field that is random or is named like a secret is known as one, or as shown again", () => {
  const fields = new Set([...Object.keys(STAND_INS), ...DOCUMENTED.flatMap(fieldsOf)]);
  const suspicious = [...fields].filter((name) => name in STAND_INS || LOOKS_SECRET.test(name));
  expect(suspicious.toSorted()).toEqual([...SHOWN_ONCE, ...SHOWN_AGAIN].toSorted());
});

it("no secret is shown again to a repeated request, or is in the table or the log", async () => {
  const on = await createExampleGame(s, () => {
    s.now += 10 * MINUTE;
  });
  const game = await snapshot(s);
  const showing = DOCUMENTED.filter((one) => fieldsOf(one).some((name) => SHOWN_ONCE.includes(name)));
  for (const endpoint of showing.filter(({ info }) => info.route.startsWith("POST "))) {
    const { route, isIdempotent, access } = endpoint.info;
    const example = exampleRequest(endpoint, on);
    const body = (await BODIES[route]?.(on)) ?? example.body;
    const request: RequestOptions = { ...example, body, key: randomUUID() };
    const first = await s.call(route, request);
    expect(first.status, `${route}: ${first.text}`).toBeLessThan(300);
    const secrets = secretsIn(first.body);
    expect(secrets, route).not.toEqual([]);
    const again = await s.call(route, request);
    // A repeated registration is a login.
    if (isIdempotent && access !== "public")
      expect(again, route).toMatchObject({ status: first.status, body: withoutSecrets(first) });
    const places: [string, string][] = [
      ["the repeated response", again.text],
      ["the log", lines.join("")],
      // Webhooks are signed with their secret.
      ...(await scan(s))
        .filter(({ pk }) => pk !== "SECRET#WEBHOOKS")
        .map((item): [string, string] => [`${item.pk} ${item.sk}`, JSON.stringify(item)]),
    ];
    for (const secret of secrets)
      for (const [place, text] of places) expect(text, `${route}: ${place}`).not.toContain(secret);
    await restore(s, game);
  }
});

it("a secret that an earlier version has stored is not shown either", async () => {
  const as = await s.admin();
  const route = "POST /admin/settings/{url_id}";
  const request = { as, body: WEBHOOKS, key: "once" };
  const first = await s.call(route, request);
  const stored = (await scan(s)).find(({ sk }) => sk === "KEY#once");
  await s.store.db.put({ ...stored, ...keys.response(as.id, "once"), body: first.text });
  expect((await s.call(route, request)).body).toEqual(withoutSecrets(first));
});
