/** A test environment whose database is watched and can fail, and whose clock can be moved; and common assertions. */
import { expect } from "vitest";
import { fieldName } from "../../lib/domain/validation.ts";
import { type Database, keyOfWrite, type StoredItem } from "../../lib/dynamodb/database.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { otherVapid } from "../support/constants.ts";
import { type Result, type TestEnvironment, testEnvironment } from "../support/service.ts";

/** The environment, and the database's calls since the last {@link Watched.forget}. */
export interface Watched {
  s: TestEnvironment;
  reads: () => number;
  writes: () => number;
  forget: () => void;
  /** Every item that there is, in one order, byte for byte: each that any write ever named. */
  scan: () => Promise<string>;
  /** The database under the watch, to change what no request could. */
  engine: () => Database;
  /** Makes the reads of some items fail, as a database that is away, or as one that is broken. */
  fail: (which: ((key: Key) => boolean) | null, how?: () => Error) => void;
  pass: (milliseconds: number) => void;
}

/** DynamoDB rejects longer keys, which the local engine accepts. */
const requireLawful = ({ pk, sk }: Key): void => {
  if (Buffer.byteLength(pk) > 2_048) throw new Error("ValidationException: size of hashkey over 2048 bytes");
  if (Buffer.byteLength(sk) > 1_024) throw new Error("ValidationException: size of rangekey over 1024 bytes");
};

const AWAY = (): Error => new DatabaseBusy("away");

export const watchedEnvironment = (): Watched => {
  let engine: Database | undefined;
  let reads = 0;
  let writes = 0;
  let passed = 0;
  let failing: ((key: Key) => boolean) | null = null;
  let fault: () => Error = AWAY;
  let known = new Map<string, Key>();

  const remember = ({ pk, sk }: Key): void => {
    requireLawful({ pk, sk });
    known.set(`${pk}\n${sk}`, { pk, sk });
  };
  const read = (keys: readonly Key[]): void => {
    reads += 1;
    for (const key of keys) requireLawful(key);
    if (failing !== null && keys.some(failing)) throw fault();
  };

  const s = testEnvironment({
    services: (usual) => ({
      clock: () => usual.clock() + passed,
      push: { ...usual.push, vapid: { given: [otherVapid()] } },
    }),
    database: (usual) => {
      engine = usual;
      reads = 0;
      writes = 0;
      passed = 0;
      failing = null;
      known = new Map();
      return {
        async get(key, options) {
          read([key]);
          return usual.get(key, options);
        },
        async getMany(keys, options) {
          read(keys);
          return usual.getMany(keys, options);
        },
        async query(range, limit, from) {
          read([]);
          return usual.query(range, limit, from);
        },
        async put(item, expectation) {
          writes += 1;
          remember(item);
          await usual.put(item, expectation);
        },
        async extendUntil(key, how) {
          writes += 1;
          remember(key);
          return usual.extendUntil(key, how);
        },
        async transact(all, token) {
          writes += 1;
          for (const write of all) remember(keyOfWrite(write));
          await usual.transact(all, token);
        },
        async execute(statement, options) {
          read([]);
          return usual.execute(statement, options);
        },
      };
    },
  });

  const current = (): Database => {
    if (engine === undefined) throw new Error("the environment is used outside a test");
    return engine;
  };

  return {
    s,
    reads: () => reads,
    writes: () => writes,
    forget() {
      reads = 0;
      writes = 0;
    },
    async scan() {
      const items: StoredItem[] = await current().getMany([...known.values()]);
      const inOrder = (value: unknown): unknown =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
          : value;
      return items
        .map((item) => JSON.stringify(inOrder(item), (_key, value: unknown) => inOrder(value)))
        .toSorted()
        .join("\n");
    },
    engine: current,
    fail(which, how = AWAY) {
      failing = which;
      fault = how;
    },
    pass(milliseconds) {
      passed += milliseconds;
    },
  };
};

export const IMMUTABLE = "public, max-age=31536000, immutable";

/** The security headers of every response, and the challenge of a 401. */
export const expectSecurityHeaders = ({ status, headers }: Result, what = ""): void => {
  const type = headers["content-type"] ?? "";
  const isPicture = headers["cache-control"] === IMMUTABLE && type.startsWith("image/");
  expect(headers, what).toMatchObject({
    // The one page that there is runs its own script.
    "content-security-policy": type.startsWith("text/html")
      ? expect.stringMatching(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/)
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
  // What the caller has written may be anything.
  expect(text.replaceAll(/"[^"]*"/g, ""), say).not.toMatch(OF_A_VALIDATOR);
};

export const expectProblem = (result: Result, status: number, code: string, what = ""): void => {
  const say = `${what}: ${result.status} ${result.text.slice(0, 300)}`;
  expect(result.status, say).toBe(status);
  expectSecurityHeaders(result, say);
  expect(result.headers["content-type"], say).toBe("application/problem+json; charset=utf-8");
  expect(result.headers["x-request-id"], say).toMatch(/./);
  const { body } = result;
  expect(body, say).toMatchObject({ status, code, request_id: result.headers["x-request-id"] });
  for (const field of ["type", "title", "detail"]) {
    expect(body[field], say).toBeTypeOf("string");
    expect(body[field], say).not.toBe("");
  }
  const fields = ["code", "detail", "request_id", "status", "title", "type"];
  expect(Object.keys(body).toSorted(), say).toEqual(
    [...fields, ...(status === 400 ? ["errors"] : [])].toSorted(),
  );
  if (status === 400) {
    expect(body.errors.length, say).toBeGreaterThan(0);
    for (const fault of body.errors) {
      const { params = {}, code, ...rest } = fault;
      expect(Object.keys(rest).toSorted(), say).toEqual(["message", "path"]);
      expect(["invalid", "in_future", "too_late"], say).toContain(code);
      expect(Object.keys(params).length > 0, say).toBe(code !== "invalid");
      // Of a statement the database's own words are told.
      if (fault.path !== "statement") expectSentence(fault.message, say);
    }
  }
  if (status === 429 || status === 503) expect(result.headers["retry-after"], say).toMatch(/^[1-9]\d*$/);
};

/** Notification endpoints write their errors as text (the seed, "Errors"). */
export const isTextual = (route: string): boolean => /\/(notifications|subscriptions)\//.test(route);

/** As {@link expectProblem}, in the form in which this endpoint writes its errors. */
export const expectError = (route: string, result: Result, status: number, code: string, what = ""): void => {
  const say = `${route} ${what}`;
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
