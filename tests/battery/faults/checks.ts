/** Checks of requests with a fault: a success, or an error that asks to retry, and nothing else. */
import { expect } from "vitest";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { expectError, isTextual } from "../../contract/support.ts";
import type { Mask, Normal } from "../../support/maskTables.ts";
import { differences, normalOf } from "../../support/maskTables.ts";
import { driftOf } from "../../support/recount.ts";
import type { Result } from "../../support/service.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import type { Effect, Injection } from "./process.ts";
import { contractOf, isUnderWay, type Setup, statusOf } from "./setups.ts";

/** Internal words, which no response may contain: of the database, its client, and the injected faults. */
const INNER =
  /injected error|dynamo|throttl|exception|ECONN|EPIPE|socket|hang ?up|aborted|transaction|conditional|amazon|arn:|at \S+\.ts/i;

const LOOKUP = "The player could not be looked up. Try again shortly.";
const CHECK = "The token could not be checked. Try again shortly.";

/** Whether the call reads the sessions: if it fails, the token is rejected. */
const isTokenCheck = (setup: Setup, { call }: Injection): boolean =>
  contractOf(setup).access !== "public" &&
  call.nth === 1 &&
  /^(GetItem SECRET#\* SESSIONS|BatchGetItem SECRET#\* SESSIONS, .*)$/.test(call.name);

/** Whether a failure of the call is hidden from the caller: recording the use of a session, and logging an error. */
const isHidden = (setup: Setup, { call: { name } }: Injection): boolean =>
  (contractOf(setup).access !== "public" && /^PutItem SECRET#\* SESSIONS$/.test(name)) ||
  (statusOf(setup) >= 400 && /^PutItem LOGS#/.test(name));

const jobCodes = ["in_progress", "busy"];

/** Expects the contract's error for an unavailable database, in the form of the endpoint. */
const requireRefusal = (setup: Setup, result: Result, injection: Injection): void => {
  const { route } = setup;
  const { status, text } = result;
  if (isTokenCheck(setup, injection)) {
    expectError(route, result, 403, "token_rejected");
    expect(text).toContain(CHECK);
    return;
  }
  if (isTextual(route)) {
    const isLookup = text === LOOKUP && status === (route.startsWith("DELETE") ? 500 : 403);
    const isBusyJob = setup.isJob === true && status === 409;
    if (!isLookup && !isBusyJob) expect(status).toBe(500);
    expectError(route, result, status, "");
    // One or two sentences written by the service.
    expect(text).toMatch(/^[A-Z][^\n{}<>]+\.$/);
    return;
  }
  if (setup.isJob === true && status === 409) {
    expect(jobCodes).toContain(result.body.code);
    return;
  }
  if (injection.effect.breaks !== true || status === 503) expectError(route, result, 503, "unavailable");
  else expectError(route, result, 500, "internal");
};

/** Cursors are encrypted, so no two are equal. */
const withoutCursor = (body: Result["body"]): unknown =>
  typeof body?.next_cursor === "string" ? { ...body, next_cursor: "<cursor>" } : body;

/** The parts of a response that are the same each time. */
const comparable = (mask: Mask, { status, headers, body, text, bytes }: Result): string =>
  mask({
    status,
    etag: headers.etag,
    body: withoutCursor(body) ?? (headers["content-type"]?.startsWith("image/") === true ? bytes : text),
  });

export const expectSameResponse = (mask: Mask, is: Result, should: Result): void => {
  if (comparable(mask, is) === comparable(mask, should)) return;
  expect.fail(`answered ${is.status} ${is.text}\nand not   ${should.status} ${should.text}`);
};

/** Checks the response to the request with the fault. @returns whether it is the success */
export const checkResponse = (
  setup: Setup,
  result: Result,
  injection: Injection,
  clean: Result,
  mask: Mask,
): boolean => {
  const { effect } = injection;
  expect(result.text + JSON.stringify(result.headers)).not.toMatch(INNER);
  if (isHidden(setup, injection) && effect.lasts === undefined)
    expect(result.status, result.text).toBe(clean.status);
  if (isUnderWay(setup, result)) return false;
  if (result.status !== clean.status) {
    requireRefusal(setup, result, injection);
    return false;
  }
  if (effect.lags === undefined) expectSameResponse(mask, result, clean);
  return true;
};

/** Whether an item depends on what was read from an index. */
const dependsOnIndex = ({ pk, sk }: StoredItem): boolean => pk.startsWith("SECRET#ONCE#") || sk === "PLAN";

export const tableOf = (table: Snapshot, mask: Mask, { lags }: Effect): Normal =>
  normalOf(table, mask, lags === undefined ? undefined : dependsOnIndex);

/** Expects no more inconsistencies in the table than before. */
export const requireNoDrift = (table: Snapshot, before: ReturnType<typeof driftOf>): void => {
  expect(driftOf(table.values()), "inconsistencies of the table").toEqual(before);
};

/** @param say what is compared */
export const requireSame = (is: Normal, should: Normal, say = "the table"): void => {
  const found = differences(is, should);
  if (found.length > 0) expect.fail(`${say}\n${found.join("\n")}`);
};

/** How often each action of each actor is logged; the entry of a retry may have fewer details. */
const times = ({ done }: Normal): Map<string, number> => {
  const counted = new Map<string, number>();
  for (const [entry, count] of done) {
    const { action, actor } = JSON.parse(entry);
    const name = `${action} by ${actor}`;
    counted.set(name, (counted.get(name) ?? 0) + count);
  }
  return counted;
};

/** Expects at least the log entries of one call, and at most those of all calls. */
export const requireLogged = (
  is: Normal,
  { start, once, calls }: { start: Normal; once: Normal; calls: number },
): void => {
  const [logged, before, wanted] = [times(is), times(start), times(once)];
  for (const entry of new Set([...logged.keys(), ...wanted.keys()])) {
    const [count = 0, had = 0, least = 0] = [logged, before, wanted].map((one) => one.get(entry));
    expect(count, `log entries ${entry}`).toBeGreaterThanOrEqual(least);
    // A new season removes entries.
    const most = Math.max(least, had + (least - had) * calls);
    expect(count, `log entries ${entry}`).toBeLessThanOrEqual(most);
  }
};
