/** What may come of a request that a fault befell: the success, or a refusal that says to come again; never another. */
import { expect } from "vitest";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { expectError, isTextual } from "../../contract/support.ts";
import type { Mask, Normal } from "../../support/normal.ts";
import { differences, normalOf } from "../../support/normal.ts";
import { driftOf } from "../../support/recount.ts";
import type { Result } from "../../support/service.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import type { Cell, Manner } from "./calls.ts";
import { promisedOf, type Scene, statusOf } from "./scene.ts";

/** Words that belong inside: of the database, of its client, of the faults that are made up here. */
const INNER =
  /innermost|dynamo|throttl|exception|ECONN|EPIPE|socket|hang ?up|aborted|transaction|conditional|amazon|arn:|at \S+\.ts/i;

/** No internal's words in an answer, whatever it is. */
const requireDiscreet = ({ text, headers }: Result, say: string): void => {
  expect(text, say).not.toMatch(INNER);
  expect(JSON.stringify(headers), say).not.toMatch(INNER);
};

const LOOKUP = "The player could not be looked up. Try again shortly.";
const CHECK = "The token could not be checked. Try again shortly.";

/** The read that decides on the token, alone or with what is read beside it: where it fails, whoever asks is a stranger. */
const isAtTheDoor = (scene: Scene, { call }: Cell): boolean =>
  promisedOf(scene).access !== "public" &&
  call.nth === 1 &&
  /^((get|GetItem) SECRET#\* SESSIONS|BatchGetItem SECRET#\* SESSIONS, .*)$/.test(call.name);

/** Whether a call is nobody's business who asks: that a session was used, and that a refusal is logged. */
const isAside = (scene: Scene, { call: { name } }: Cell): boolean =>
  (promisedOf(scene).access !== "public" && /^(put|PutItem) SECRET#\* SESSIONS$/.test(name)) ||
  (statusOf(scene) >= 400 && /^(put|PutItem) LOGS#/.test(name));

const jobCodes = ["in_progress", "busy"];

/** Judges a refusal: one that the contract has for a database that is away, in the form of the endpoint. */
const requireRefusal = (scene: Scene, result: Result, cell: Cell, { passes }: Manner, say: string): void => {
  const { route } = scene;
  const { status, text } = result;
  if (isAtTheDoor(scene, cell)) {
    expectError(route, result, 403, "token_rejected", say);
    expect(text, say).toContain(CHECK);
    return;
  }
  if (isTextual(route)) {
    const isLookup = text === LOOKUP && status === (route.startsWith("DELETE") ? 500 : 403);
    const isBusyJob = scene.isJob === true && status === 409;
    if (!isLookup && !isBusyJob) expect(status, say).toBe(500);
    expectError(route, result, status, "", say);
    // A sentence, or two, of the service's own.
    expect(text, say).toMatch(/^[A-Z][^\n{}<>]+\.$/);
    return;
  }
  if (scene.isJob === true && status === 409) {
    expect(jobCodes, say).toContain(result.body.code);
    return;
  }
  if (passes || status === 503) expectError(route, result, 503, "unavailable", say);
  else expectError(route, result, 500, "internal", say);
};

/** Cursors are encrypted, each time anew. */
const withoutCursor = (body: Result["body"]): unknown =>
  typeof body?.next_cursor === "string" ? { ...body, next_cursor: "<cursor>" } : body;

/** The answer, as far as it says the same whenever it is asked for. */
export const sameAnswer = (mask: Mask, { status, headers, body, text, bytes }: Result): string =>
  mask({
    status,
    etag: headers.etag,
    body: withoutCursor(body) ?? (headers["content-type"]?.startsWith("image/") === true ? bytes : text),
  });

export const expectSameAnswer = (mask: Mask, is: Result, should: Result, say: string): void => {
  if (sameAnswer(mask, is) === sameAnswer(mask, should)) return;
  expect.fail(`${say}\nanswered ${is.status} ${is.text}\nand not   ${should.status} ${should.text}`);
};

/** Whether a job is told to be under way. */
export const isUnderWay = (scene: Scene, { status }: Result): boolean =>
  scene.isJob === true && status === 202;

/** Judges the answer to the request that the fault befell; whether it was the success. */
export const judgeAnswer = (
  scene: Scene,
  result: Result,
  { cell, clean, manner, mask, say }: { cell: Cell; clean: Result; manner: Manner; mask: Mask; say: string },
): boolean => {
  requireDiscreet(result, say);
  if (isAside(scene, cell) && !manner.lasts)
    expect(result.status, `${say}: ${result.text}`).toBe(clean.status);
  if (isUnderWay(scene, result)) return false;
  if (result.status !== clean.status) {
    requireRefusal(scene, result, cell, manner, say);
    return false;
  }
  if (manner.lags === "never") expectSameAnswer(mask, result, clean, say);
  return true;
};

/** What an index proposed, and what was answered by it, says nothing of what is right. */
const isProposed = ({ pk, sk }: StoredItem): boolean => pk.startsWith("SECRET#ONCE#") || sk === "PLAN";

export const tableOf = (table: Snapshot, mask: Mask, { lags }: Manner): Normal =>
  normalOf(table, mask, lags === "never" ? undefined : isProposed);

/** A table that agrees with itself as much as it did. */
export const requireNoDrift = (table: Snapshot, before: ReturnType<typeof driftOf>, say: string): void => {
  expect(driftOf(table.values()), `${say}: where the table does not agree with itself`).toEqual(before);
};

export const requireSame = (is: Normal, should: Normal, say: string): void => {
  const found = differences(is, should);
  if (found.length > 0) expect.fail(`${say}\n${found.join("\n")}`);
};

/** Who did what; of a request that comes again less may be told. */
const bare = (entry: string): string => {
  const { action, actor } = JSON.parse(entry);
  return `${action} by ${actor}`;
};

const times = (log: Normal["done"]): Map<string, number> => {
  const counted = new Map<string, number>();
  for (const [entry, count] of log) counted.set(bare(entry), (counted.get(bare(entry)) ?? 0) + count);
  return counted;
};

/** What was done is in the log: once for each call that may have written it, and nothing else is. */
export const requireLogged = (
  is: Normal,
  { start, clean, calls, least }: { start: Normal; clean: Normal; calls: number; least: Normal },
  say: string,
): void => {
  const before = times(start.done);
  const wanted = times(clean.done);
  for (const [entry, count] of times(is.done)) {
    const had = before.get(entry) ?? 0;
    const once = (wanted.get(entry) ?? 0) - had;
    expect(count - had, `${say}: log entries ${entry}`).toBeLessThanOrEqual(once * calls);
  }
  for (const [entry, count] of times(least.done)) {
    expect(times(is.done).get(entry) ?? 0, `${say}: log entries ${entry}`).toBeGreaterThanOrEqual(count);
  }
};
