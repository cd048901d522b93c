/** Answers as they must be: in their declared shape to the last field, or a refusal in its form; and with no canary. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import * as z from "zod/mini";
import type { Handler } from "../../../lib/http/definition.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import {
  expectError,
  expectNamedIn,
  expectProblem,
  expectSecurityHeaders,
  issuePaths,
  isTextual,
} from "../../contract/support.ts";
import type { Result, Someone } from "../../support/service.ts";
import { type Canary, flownIn, KEY_MARK, SECRET_MARK, unfolded } from "./canaries.ts";
import type { Lawful } from "./oracle.ts";
import type { Scene } from "./scene.ts";
import type { Sent } from "./sent.ts";

/** By whatever code is expected. */
const STATUSES: Record<string, number> = STATUS_OF;

const PICTURES = new Set(["GET /pfp/{url_id}", "POST /get_pfp/{url_id}"]);

const expectSuccess = (own: Handler["endpoint"], result: Result, say: string): void => {
  expectSecurityHeaders(result, say);
  expect(result.headers["x-request-id"], say).toMatch(/./);
  const isPicture = PICTURES.has(own.route);
  if (own.route.startsWith("GET ") && result.status === 304) {
    expect(result.bytes.length, say).toBe(0);
    return;
  }
  // A change of password is empty, unless a recovery code has opened a session.
  const isEmpty = own.route === "POST /change_password" && result.status === 204;
  if (!isEmpty) expect(result.status, say).toBe(own.response.status);
  if (own.response.schema === null || isEmpty) {
    expect(result.text, say).toBe("");
    expect(result.headers, say).not.toHaveProperty("content-type");
    return;
  }
  if (isPicture) {
    expect(result.headers["content-type"], say).toBe("image/webp");
    expect(result.bytes.subarray(8, 12).toString("latin1"), say).toBe("WEBP");
    return;
  }
  expect(result.headers["content-type"], say).toBe("application/json; charset=utf-8");
  const parsed = z.safeParse(own.response.schema, result.body);
  expect(parsed.error?.issues ?? [], say).toEqual([]);
  // A field that is not declared does not come through the schema.
  const isDeclared = isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), result.body);
  expect(isDeclared, `a field that is not declared: ${say}`).toBe(true);
};

/** What only the service's own makers understand. */
const INTERNALS = /dynamo|ValidationException|\bstack\b|node_modules|\.ts:\d|zod/i;

const expectNamed = (route: string, result: Result, named: readonly string[], say: string): void => {
  for (const path of named) {
    if (isTextual(route)) expectNamedIn(result.text, path, say);
    else {
      const isNamed = issuePaths(result).some((one) => one === path || one.startsWith(`${path}.`));
      expect(isNamed, `${path} is not named: ${say}`).toBe(true);
    }
  }
};

/** What came of a request is one of the things that may. */
export const expectLawful = (
  own: Handler["endpoint"],
  result: Result,
  { codes, success, named }: Lawful,
  say: string,
): void => {
  const { route } = own;
  expect(result.status, say).toBeLessThan(500);
  if (result.status < 400) {
    expect(success, `it may not succeed, but be ${codes.join(" or ")}: ${say}`).toBe(true);
    expectSuccess(own, result, say);
    return;
  }
  expect(result.text, say).not.toMatch(INTERNALS);
  const allowed = `it may be ${codes.join(" or ") || "nothing but a success"}: ${say}`;
  if (isTextual(route)) {
    expect(
      codes.map((code) => STATUSES[code]),
      allowed,
    ).toContain(result.status);
    expectError(route, result, result.status, "", say);
  } else {
    const code = String(result.body?.code);
    expect(codes, allowed).toContain(code);
    expectProblem(result, STATUSES[code] ?? 0, code, say);
  }
  if (result.status === 400) expectNamed(route, result, named, say);
};

/** Of whom an answer may tell everything: the asker, and who has just shown themselves. */
const subjectOf = (route: string, result: Result, asker: Someone | null): string | undefined =>
  /^POST \/(login|new|change_password)$/.test(route) ? result.body?.player_id : asker?.id;

/** What of the canaries somebody may not hear of. */
const hiddenFrom = (on: Scene, asker: Someone | null, subject: string | undefined): Canary[] => {
  const isMaster = asker === on.gm || asker === on.second;
  return on.canaries.filter(
    ({ kind, owners }) =>
      kind === "secret" || !(isMaster || (subject !== undefined && owners.includes(subject))),
  );
};

const hidden = new WeakMap<Scene, Map<string, Canary[]>>();

/** The answer holds nothing that its asker may not know, in whatever form. */
export const expectNoCanary = (
  on: Scene,
  route: string,
  result: Result,
  asker: Someone | null,
  sent: Sent,
  say: string,
): void => {
  const subject = subjectOf(route, result, asker);
  const known = hidden.get(on) ?? new Map<string, Canary[]>();
  hidden.set(on, known);
  const who = `${asker?.id} ${subject}`;
  const canaries = known.get(who) ?? hiddenFrom(on, asker, subject);
  known.set(who, canaries);
  const isPicture = result.headers["content-type"] === "image/webp";
  const text = isPicture ? result.bytes.toString("latin1") : unfolded(result.text);
  // The record of a subscription says what its own request said.
  const isOwnRecord = route.startsWith("POST /notifications/subscribe/") && result.status === 200;
  const said = isOwnRecord ? String(sent.asking.raw?.body) : "";
  const looked = isOwnRecord ? canaries.filter(({ value }) => !said.includes(value)) : canaries;
  const flown = flownIn(`${text}\n${unfolded(JSON.stringify(result.headers))}`, looked);
  const echoes = isOwnRecord || (sent.namesSecret === true && result.status === 400);
  if (!echoes && text.includes(SECRET_MARK)) flown.push("a secret of the request's own");
  if (text.includes(KEY_MARK)) flown.push("an Idempotency-Key");
  expect(flown, `canaries in the answer: ${say}`).toEqual([]);
};
