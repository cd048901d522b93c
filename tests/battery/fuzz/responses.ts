/** Checks of responses: exactly the declared shape, or an error of the contract, and no canaries. */

import { expect } from "vitest";
import * as z from "zod/mini";
import { type EndpointInfo, isForStaff, Nothing } from "../../../lib/http/definition.ts";
import { NoteText } from "../../../lib/http/textFields.ts";
import { isRecord } from "../../../lib/runtime/objects.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import { expectConforms } from "../../contract/conforms.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import { expectSecurityHeaders, issuePaths, isTextual } from "../../contract/support.ts";
import type { RequestOptions, Result, TestPlayer } from "../../support/service.ts";
import { ADDRESS, canariesIn, KEY_MARK, SECRET_MARK, unfolded } from "./canaries.ts";
import type { Fixture } from "./fixture.ts";
import { SECRET_AS_NAME, type Sent } from "./requests.ts";
import { readBody } from "./values.ts";

const STATUSES: Record<string, number> = STATUS_OF;

/** Words that only developers of the service understand. */
const INTERNALS = /dynamo|ValidationException|\bstack\b|node_modules|\.ts:\d|zod/i;

const Reason = z.object({ reason: z.optional(NoteText) });

/** The fields that the endpoint's own schemas reject; null if they are unknown. */
const invalidFields = (own: EndpointInfo, { raw, query = {} }: RequestOptions): string[] | null => {
  // A picture is decoded before its schema is checked.
  if (TAKES_PICTURES.has(own.route)) return null;
  const body = own.route.startsWith("GET ") ? {} : readBody(String(raw?.body ?? ""));
  if (body === undefined) return [""];
  // The endpoint's schema does not contain the reason of a game master's command.
  const { reason, ...rest } = own.takesReason && isRecord(body) ? body : {};
  return [
    z.safeParse(Reason, reason === undefined ? {} : { reason }),
    z.safeParse(own.request.body ?? Nothing, own.takesReason && isRecord(body) ? rest : body),
    z.safeParse(own.request.query ?? Nothing, query),
  ].flatMap(({ error }) =>
    (error?.issues ?? []).flatMap((issue) =>
      issue.code === "unrecognized_keys" && issue.path.length === 0
        ? issue.keys
        : [String(issue.path[0] ?? "")],
    ),
  );
};

const isMaster = (on: Fixture, caller: TestPlayer | null): boolean => caller === on.gm || caller === on.max;

/** Errors before a request is read: the caller has no right, or has left. */
const BARRED = ["token_rejected", "not_administrator", "player_not_found"];

/** A request to a fixture's game, and its sender. */
interface Exchange {
  on: Fixture;
  caller: TestPlayer | null;
  sent: Sent;
}

/** Checks a response against the contract. */
export const expectLawful = (
  own: EndpointInfo,
  result: Result,
  { on, caller, sent: { asking } }: Exchange,
): void => {
  const { route, access } = own;
  const { status } = result;
  const isBarred =
    (access !== "public" &&
      route.includes("{url_id}") &&
      asking.id !== undefined &&
      asking.id !== caller?.id) ||
    (isForStaff(access) && !isMaster(on, caller));
  const invalid = invalidFields(own, asking);
  expect(status).toBeLessThan(500);
  if (status === 304) {
    // The documentation and public pictures have policies of their own.
    if (!/^GET \/(docs|pictures)/.test(route)) expectSecurityHeaders(result);
    expect(result.bytes.length).toBe(0);
  } else expectConforms(route, result, () => {});
  if (status < 400) {
    expect(isBarred, "the caller may not").toBe(false);
    expect(invalid ?? [], "invalid fields that were accepted").toEqual([]);
    return;
  }
  expect(result.text).not.toMatch(INTERNALS);
  if (isTextual(route)) {
    expect(Object.values(STATUSES)).toContain(status);
    return;
  }
  const { code } = result.body;
  expect(status).toBe(STATUSES[code]);
  if (isBarred) expect(BARRED).toContain(code);
  if (code !== "invalid_request" || invalid === null || invalid.includes("")) return;
  // Each field that the schemas reject is named, unless there are hundreds.
  if (invalid.length > 20) return;
  const named = issuePaths(result).map((path) => path.split(".")[0]);
  expect(named).toEqual(expect.arrayContaining(invalid.map((field) => field.split(".")[0])));
};

/** Expects nothing in the response that its caller may not know, in any encoding. */
export const expectNoCanary = (
  route: string,
  { status, headers, text, bytes, body }: Result,
  { on, caller, sent }: Exchange,
): void => {
  // The player about whom it may contain everything: the caller, or the player who has just logged in.
  const subject = /^POST \/(login|new|change_password)$/.test(route) ? body?.player_id : caller?.id;
  const isPicture = headers["content-type"] === "image/webp";
  const shown = isPicture ? bytes.toString("latin1") : unfolded(text);
  // The response to a subscription repeats its own request.
  const isOwnRecord = route.startsWith("POST /notifications/subscribe/") && status === 200;
  const said = isOwnRecord ? String(sent.asking.raw?.body) : "";
  // Administrators read from which address a waiver was signed.
  const isOfSignatures = route.startsWith("GET /admin/signatures/") && isMaster(on, caller);
  const leaked = canariesIn(`${shown}\n${unfolded(JSON.stringify(headers))}`, on.canaries)
    .filter(({ kind, owners }) => kind === "secret" || !(isMaster(on, caller) || owners.includes(subject)))
    .filter(({ value }) => !said.includes(value) && !(isOfSignatures && value === ADDRESS))
    .map(({ name }) => name);
  const echoes = isOwnRecord || (sent.what === SECRET_AS_NAME && status === 400);
  if (!echoes && shown.includes(SECRET_MARK)) leaked.push("a secret of the request's own");
  if (shown.includes(KEY_MARK)) leaked.push("an Idempotency-Key");
  expect(leaked, "canaries in the response").toEqual([]);
};
