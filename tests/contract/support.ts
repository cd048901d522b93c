/** A test environment whose database is watched and can fail; and common assertions. */
import { beforeEach, expect } from "vitest";
import * as z from "zod/mini";
import { fieldName } from "../../lib/domain/validation.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { SHOWN_ONCE } from "../../lib/store/storedNames.ts";
import { otherVapid } from "../support/constants.ts";
import { type Result, testEnvironment } from "../support/service.ts";

/** DynamoDB rejects longer keys, which the local engine accepts. */
const requireLawful = ({ pk, sk }: Key): void => {
  if (Buffer.byteLength(pk) > 2_048) throw new Error("ValidationException: size of hashkey over 2048 bytes");
  if (Buffer.byteLength(sk) > 1_024) throw new Error("ValidationException: size of rangekey over 1024 bytes");
};

const WRITES: readonly string[] = ["put", "extendUntil", "transact"];
const AWAY = (): Error => new DatabaseBusy("away");

/** An environment that counts the database's calls since the last `forget`, and whose database can fail. */
export const watchedEnvironment = () => {
  const calls = { reads: 0, writes: 0 };
  let failing: ((key: Key) => boolean) | null = null;
  let fault = AWAY;
  const forget = (): void => void Object.assign(calls, { reads: 0, writes: 0 });
  const s = testEnvironment({
    services: (usual) => ({ push: { ...usual.push, vapid: { given: [otherVapid()] } } }),
  });
  beforeEach(() => {
    forget();
    failing = null;
    s.beforeCall = (call, keys) => {
      const isWrite = WRITES.includes(call);
      calls[isWrite ? "writes" : "reads"] += 1;
      keys.forEach(requireLawful);
      if (!isWrite && failing !== null && keys.some(failing)) throw fault();
    };
  });
  return {
    s,
    reads: () => calls.reads,
    writes: () => calls.writes,
    forget,
    /** Makes the reads of some items fail: with the error that `how` returns, by default as of a busy database. */
    fail(which: ((key: Key) => boolean) | null, how = AWAY): void {
      failing = which;
      fault = how;
    },
  };
};

/** The body of a response without what is shown once, as it is repeated. */
export const withoutSecrets = ({ body, text }: Result): unknown =>
  body && JSON.parse(text, (name, value: unknown) => (SHOWN_ONCE.includes(name) ? null : value));

export const IMMUTABLE = "public, max-age=31536000, immutable";

/** The security headers of every response, and the challenge of a 401. */
export const expectSecurityHeaders = ({ status, headers }: Result, what = ""): void => {
  const type = headers["content-type"] ?? "";
  const isPicture = headers["cache-control"] === IMMUTABLE && type.startsWith("image/");
  expect(headers, what).toMatchObject({
    // The page at /docs runs its own script.
    "content-security-policy": type.startsWith("text/html")
      ? expect.stringMatching(
          /^default-src 'none'; script-src 'self'( 'sha256-[\w+/=]+')?; .*frame-ancestors 'none'$/,
        )
      : "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": isPicture ? "cross-origin" : "same-origin",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000",
    "x-content-type-options": "nosniff",
  });
  expect(
    ["no-store", "private, no-cache", "public, no-cache", "public, max-age=30", IMMUTABLE],
    what,
  ).toContain(headers["cache-control"]);
  if (status === 401) expect(headers["www-authenticate"], what).toMatch(/^Bearer realm="zombie-game"/);
  else expect(headers, what).not.toHaveProperty("www-authenticate");
};

/** Words of validators, databases and programs, which mean nothing to a player. */
const OF_A_VALIDATOR =
  /invalid input|expected (string|number|int|boolean|array|object|record|never)|received|unrecogni[sz]ed|too (small|big)|[<>]=|zod|undefined|\bNaN\b|regex|pattern|\[object|\bstring\b|\barray\b|boolean/i;

/** Expects a text to name a field, by its name in a sentence or as it was written. */
export const expectNamedIn = (text: string, path: string, say: string): void => {
  const names = [fieldName(path), `"${path.split(".").at(-1)}`].map((name) => name.toLowerCase());
  expect(
    names.some((name) => text.toLowerCase().includes(name)),
    `${say}: ${path} in ${text}`,
  ).toBe(true);
};

export const expectSentence = (text: string, say: string): void => {
  expect(text, say).toMatch(/^["A-Z].* .*[^.][.!?]$/s);
  // What the caller has written may be anything, also a quotation mark.
  expect(text.replaceAll(/".*?"(?=[\s.,:]|$)/gs, ""), say).not.toMatch(OF_A_VALIDATOR);
};

const Text = z.string().check(z.minLength(1));
const problem = { type: Text, title: Text, detail: Text, code: Text, request_id: Text, status: z.number() };
const Problem = z.strictObject(problem);
const issue = { path: z.string(), message: Text };
/** What is wrong with an alias, and the nearest valid one. */
const ofAlias = z.strictObject({
  character: z.optional(Text),
  code_point: z.optional(z.string().check(z.regex(/^U\+[0-9A-F]{4,6}$/))),
  suggestion: z.optional(Text),
});
const Invalid = z.strictObject({ ...issue, code: z.literal("invalid"), params: z.optional(ofAlias) });
const params = z.record(Text, z.unknown());
const OutOfTime = z.strictObject({ ...issue, code: z.enum(["in_future", "too_late"]), params });
const errors = z.array(z.union([Invalid, OutOfTime])).check(z.minLength(1));
const InvalidRequest = z.strictObject({ ...problem, errors });

export const expectProblem = (result: Result, status: number, code: string, what = ""): void => {
  const { body, headers } = result;
  const say = `${what}: ${result.status} ${result.text.slice(0, 300)}`;
  expect(result.status, say).toBe(status);
  expectSecurityHeaders(result, say);
  expect(headers["content-type"], say).toBe("application/problem+json; charset=utf-8");
  expect(body, say).toMatchObject({ status, code, request_id: headers["x-request-id"] });
  const { error } = (status === 400 ? InvalidRequest : Problem).safeParse(body);
  expect(error?.issues ?? [], say).toEqual([]);
  for (const { path, message } of body.errors ?? []) {
    // Issues of a statement may be in the database's own words.
    if (path !== "statement") expectSentence(message, say);
  }
  if (status === 429 || status === 503) expect(headers["retry-after"], say).toMatch(/^[1-9]\d*$/);
};

/** Notification endpoints write their errors as text. */
export const isTextual = (route: string): boolean => /\/(notifications|subscriptions)\//.test(route);

/** As {@link expectProblem}, in the form in which this endpoint writes its errors. */
export const expectError = (route: string, result: Result, status: number, code: string, what = ""): void => {
  const say = `${route} ${what}`;
  expect(result.text, say).not.toMatch(/internals/i);
  if (!isTextual(route)) {
    expectProblem(result, status, code, say);
    return;
  }
  expect(result.status, `${say}: ${result.text}`).toBe(status);
  expectSecurityHeaders(result, say);
  expect(result.headers["content-type"], say).toBe("text/plain; charset=utf-8");
  expect(result.headers["x-request-id"], say).toMatch(/./);
  expect(result.text, say).toMatch(/\w{3}/);
  if (status === 400) expectSentence(result.text, say);
};

export const issuePaths = (result: Result): string[] =>
  (result.body?.errors ?? []).map(({ path }: { path: string }) => path).toSorted();
