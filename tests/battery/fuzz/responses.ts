/** Checks of responses: exactly the declared shape, or an error of the contract, and no canaries. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import * as z from "zod/mini";
import type { Handler } from "../../../lib/http/definition.ts";
import { NoteText } from "../../../lib/http/textFields.ts";
import { isRecord } from "../../../lib/runtime/objects.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import {
  expectError,
  expectProblem,
  expectSecurityHeaders,
  issuePaths,
  isTextual,
} from "../../contract/support.ts";
import type { RequestOptions, Result, Someone } from "../../support/service.ts";
import { type Canary, canariesIn, KEY_MARK, SECRET_MARK, unfolded } from "./canaries.ts";
import type { Sent } from "./cases.ts";
import type { Fixture } from "./fixture.ts";
import { isSound } from "./valid.ts";

type Endpoint = Handler["endpoint"];

const STATUSES: Record<string, number> = STATUS_OF;
const PICTURES = new Set(["GET /pfp/{url_id}", "POST /get_pfp/{url_id}", "GET /pictures/{picture_id}"]);
const MAX_BODY_BYTES = 64 * 1024;
const Nothing = z.strictObject({});

const expectSuccess = (own: Endpoint, result: Result, say: string): void => {
  expectSecurityHeaders(result, say);
  expect(result.headers["x-request-id"], say).toMatch(/./);
  if (own.route.startsWith("GET ") && result.status === 304) {
    expect(result.bytes.length, say).toBe(0);
    return;
  }
  // A password change has an empty response, unless a recovery code has opened a session.
  const isEmpty = own.route === "POST /change_password" && result.status === 204;
  if (!isEmpty) expect(result.status, say).toBe(own.response.status);
  if (own.response.schema === null || isEmpty) {
    expect(result.text, say).toBe("");
    expect(result.headers, say).not.toHaveProperty("content-type");
    return;
  }
  if (own.route.startsWith("GET /docs")) {
    expect(result.headers["content-type"], say).toMatch(/^text\/(html|javascript); charset=utf-8$/);
    return;
  }
  if (PICTURES.has(own.route)) {
    expect(result.headers["content-type"], say).toBe("image/webp");
    expect(result.bytes.subarray(8, 12).toString("latin1"), say).toBe("WEBP");
    return;
  }
  expect(result.headers["content-type"], say).toBe("application/json; charset=utf-8");
  const parsed = z.safeParse(own.response.schema, result.body);
  expect(parsed.error?.issues ?? [], say).toEqual([]);
  // The schema strips undeclared fields.
  const isDeclared = isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), result.body);
  expect(isDeclared, `an undeclared field: ${say}`).toBe(true);
};

/** Words that only developers of the service understand. */
const INTERNALS = /dynamo|ValidationException|\bstack\b|node_modules|\.ts:\d|zod/i;

/** The JSON that an endpoint reads, or undefined if the body is not JSON. */
const bodyOf = (raw: RequestOptions["raw"]): unknown => {
  const body = Buffer.from(raw?.body ?? "");
  if (body.length > MAX_BODY_BYTES) return undefined;
  const text = body.toString();
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isSound(value)) return undefined;
    return value === "" ? {} : value;
  } catch {
    return undefined;
  }
};

const Reason = z.object({ reason: z.optional(NoteText) });

/** A body without the reason of a game master's command, which the endpoint's schema does not contain. */
const withoutReason = ({ takesReason }: Endpoint, body: unknown): { reason: object; rest: unknown } => {
  if (!takesReason || !isRecord(body) || !("reason" in body)) return { reason: {}, rest: body };
  const { reason, ...rest } = body;
  return { reason: { reason }, rest };
};

/** The fields that the endpoint's own schemas reject; null if they are unknown. */
const invalidFields = (own: Endpoint, { raw, query = {} }: RequestOptions): string[] | null => {
  // A picture is decoded before its schema is checked.
  if (own.route === TAKES_PICTURES) return null;
  const body = own.route.startsWith("GET ") ? {} : bodyOf(raw);
  if (body === undefined) return [""];
  const { reason, rest } = withoutReason(own, body);
  return [
    z.safeParse(Reason, reason),
    z.safeParse(own.request.body ?? Nothing, rest),
    z.safeParse(own.request.query ?? Nothing, query),
  ].flatMap(({ error }) =>
    (error?.issues ?? []).flatMap((issue) =>
      issue.code === "unrecognized_keys" && issue.path.length === 0
        ? issue.keys
        : [String(issue.path[0] ?? "")],
    ),
  );
};

const isMaster = (on: Fixture, caller: Someone | null): boolean => caller === on.gm || caller === on.second;

/** Errors before a request is read: the caller has no right, or has left. */
const BARRED = new Set(["token_rejected", "not_administrator", "player_not_found"]);

/** Checks a response against the contract. */
export const expectLawful = (
  own: Endpoint,
  result: Result,
  { on, caller, sent: { asking } }: { on: Fixture; caller: Someone | null; sent: Sent },
  say: string,
): void => {
  const { route, access } = own;
  const isGuarded = access !== "public";
  const isBarred =
    (isGuarded && asking.id !== undefined && asking.id !== caller?.id) ||
    ((access === "administrator" || access === "moderator") && !isMaster(on, caller));
  const invalid = invalidFields(own, asking);
  expect(result.status, say).toBeLessThan(500);
  if (result.status < 400) {
    expect(isBarred, `the caller may not: ${say}`).toBe(false);
    expect(invalid ?? [], `invalid fields were accepted: ${say}`).toEqual([]);
    expectSuccess(own, result, say);
    return;
  }
  expect(result.text, say).not.toMatch(INTERNALS);
  if (isTextual(route)) {
    expect(Object.values(STATUSES), say).toContain(result.status);
    expectError(route, result, result.status, "", say);
    return;
  }
  const code = String(result.body?.code);
  expectProblem(result, STATUSES[code] ?? 0, code, say);
  if (isBarred) expect(BARRED, say).toContain(code);
  if (code !== "invalid_request" || invalid === null || invalid.includes("")) return;
  // Each field that the schemas reject is named, unless there are hundreds.
  if (invalid.length > 20) return;
  const named = issuePaths(result).map((path) => path.split(".")[0]);
  expect(named, say).toEqual(expect.arrayContaining(invalid.map((field) => field.split(".")[0])));
};

/** The player about whom a response may contain everything: the caller, or the player who has just logged in. */
const subjectOf = (route: string, result: Result, caller: Someone | null): string | undefined =>
  /^POST \/(login|new|change_password)$/.test(route) ? result.body?.player_id : caller?.id;

const hidden = new WeakMap<Fixture, Map<string, Canary[]>>();

/** The canaries that a caller may not see. */
const hiddenFrom = (on: Fixture, caller: Someone | null, subject: string | undefined): Canary[] => {
  const known = hidden.get(on) ?? new Map<string, Canary[]>();
  hidden.set(on, known);
  const name = `${caller?.id} ${subject}`;
  const found =
    known.get(name) ??
    on.canaries.filter(
      ({ kind, owners }) =>
        kind === "secret" || !(isMaster(on, caller) || (subject !== undefined && owners.includes(subject))),
    );
  known.set(name, found);
  return found;
};

/** Expects nothing in the response that its caller may not know, in any encoding. */
export const expectNoCanary = (
  on: Fixture,
  route: string,
  result: Result,
  caller: Someone | null,
  sent: Sent,
  say: string,
): void => {
  const canaries = hiddenFrom(on, caller, subjectOf(route, result, caller));
  const isPicture = result.headers["content-type"] === "image/webp";
  const text = isPicture ? result.bytes.toString("latin1") : unfolded(result.text);
  // The response to a subscription repeats its own request.
  const isOwnRecord = route.startsWith("POST /notifications/subscribe/") && result.status === 200;
  const said = isOwnRecord ? String(sent.asking.raw?.body) : "";
  const looked = isOwnRecord ? canaries.filter(({ value }) => !said.includes(value)) : canaries;
  const flown = canariesIn(`${text}\n${unfolded(JSON.stringify(result.headers))}`, looked);
  const echoes = isOwnRecord || (sent.namesSecret === true && result.status === 400);
  if (!echoes && text.includes(SECRET_MARK)) flown.push("a secret of the request's own");
  if (text.includes(KEY_MARK)) flown.push("an Idempotency-Key");
  expect(flown, `canaries in the response: ${say}`).toEqual([]);
};
