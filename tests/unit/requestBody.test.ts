/**
 * Requests: bodies, their validation and fingerprints, and client addresses. That every endpoint rejects bodies that are
 * not JSON, too deep, too large or of another content type, and invalid idempotency keys, is tested in contract/input.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { invalidRequest } from "../../lib/domain/domainError.ts";
import { fieldName, type ValidationIssue } from "../../lib/domain/validation.ts";
import { clientAddress } from "../../lib/http/clientAddress.ts";
import { fingerprintRequest, parseIdempotencyKey, readJson } from "../../lib/http/requestBody.ts";
import { errorOf } from "./support.ts";

/** Returns the value. @throws DomainError `invalid_request` if there are issues */
const required = <T>({ value, issues }: { value: T; issues: ValidationIssue[] }): T => {
  if (issues.length > 0) throw invalidRequest(...issues);
  return value;
};

const JSON_TYPE = { "content-type": "application/json" };

const read = (body: string | undefined, headers: Record<string, string> = JSON_TYPE): unknown =>
  required(readJson({ body, isBase64Encoded: false, headers }));

const pathsOf = (action: () => unknown): string[] =>
  errorOf(action)
    .issues.map(({ path }) => path)
    .toSorted();

describe("a body", () => {
  it("may have another JSON media type, or none", () => {
    for (const type of ['APPLICATION/JSON;charset="UTF-8"', "application/merge-patch+json", " "])
      expect(read('{"a":1}', { "content-type": type })).toEqual({ a: 1 });
  });

  it("may begin with the mark that programs on Windows write, in either encoding", () => {
    const body = '\ufeff{"a":1}';
    expect(read(body)).toEqual({ a: 1 });
    const base64 = { body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
    expect(required(readJson({ ...base64, headers: JSON_TYPE }))).toEqual({ a: 1 });
  });

  it.each(["é", "龍", "👻"])("may have 64 KiB of %s, in either encoding", (letter) => {
    const times = Math.floor((65_536 - '{"a":""}'.length) / Buffer.byteLength(letter));
    const frame = `{"a":"${letter.repeat(times)}"}`;
    const exact = frame + " ".repeat(65_536 - Buffer.byteLength(frame));
    const readBase64 = (text: string) =>
      readJson({ body: Buffer.from(text).toString("base64"), isBase64Encoded: true, headers: JSON_TYPE });
    for (const readAs of [read, (text: string) => required(readBase64(text))]) {
      expect(readAs(exact)).toBeTypeOf("object");
      expect(errorOf(() => readAs(`${exact} `)).code).toBe("too_large");
    }
  });

  it.each([
    ['{"a":{"__proto__":null}}', ["a.__proto__"]],
    ['[{"__proto__":1}]', ["0.__proto__"]],
    ['{"\\u005f_proto__":1}', ["__proto__"]],
    ['{"a":["x","\\udc00\\ud800"]}', ["a.1"]],
    ['{"a":-1e400,"b":[9007199254740991,-9007199254740991,0.1,-0,5e-324]}', ["a"]],
    ['{"a":{"b":[1,1e21]}}', ["a.b.1"]],
    ['{"a":"\\ud800","b":1e400,"__proto__":1,"c":[2,9007199254740992]}', ["__proto__", "a", "b", "c.1"]],
  ])("%s is rejected at each unsafe value", (body, paths) => {
    expect(pathsOf(() => read(body))).toEqual(paths);
  });
});

describe("validation", () => {
  it("spells out known names, and quotes names that no field has", () => {
    const names: Record<string, string> = {
      "share_with.1": "entry 2 of the list of players to share with",
      "keys.p256dh": 'key "p256dh"',
      constructor: "constructor",
      ["__proto__"]: 'field "__proto__"',
      ["Ü x".repeat(40)]: `field "${"Ü x".repeat(40).slice(0, 40)}…"`,
    };
    for (const [path, name] of Object.entries(names)) expect(fieldName(path)).toBe(name);
  });
});

it("an Idempotency-Key has 1 to 128 visible ASCII characters", () => {
  const keyOf = (key: string | undefined) => required(parseIdempotencyKey({ "idempotency-key": key }));
  for (const key of [undefined, "x".repeat(128), "!~", '"quoted"']) expect(keyOf(key)).toBe(key);
  for (const key of ["", "x".repeat(129), "a\u007f", "é", " a", "a\n"])
    expect(errorOf(() => keyOf(key)).code).toBe("invalid_request");
});

it("a fingerprint is equal if and only if method, path and body are, in any order of keys", () => {
  const hashOf = (body: unknown) => fingerprintRequest("POST", "/admin/cure/1", body);
  expect(fingerprintRequest("POST", "/admin/cure/2", {})).not.toBe(hashOf({}));
  expect(fingerprintRequest("PUT", "/admin/cure/1", {})).not.toBe(hashOf({}));
  const body = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  fc.assert(
    fc.property(body, body, (one, other) => {
      expect(hashOf(Object.fromEntries(Object.entries(one).toReversed()))).toBe(hashOf(one));
      expect(hashOf(one) === hashOf(other)).toBe(isDeepStrictEqual(sent(one), sent(other)));
    }),
    { numRuns: 500 },
  );
  expect(hashOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(hashOf({ b: { d: null, c: [1, 2] }, a: 1 }));
  const alike =
    `{"a":1} {"a":"1"} {"a":null} {"a":"null"} {"a":[]} {"a":{}} {"a:1":2} {"a:1,b":1} {"a\\":1,\\"b":1} {"a":1,"b":1}
    {"a":"1,2"} {"a":[1,2]} {"a":[2,1]}`.split(/\s+/);
  expect(new Set(alike.map((text) => hashOf(JSON.parse(text)))).size).toBe(alike.length);
});

it("a client's address is its IPv4 address or the /64 network of its IPv6 address, or unknown if malformed", () => {
  const ADDRESSES: Record<string, string> = {
    ...{ "203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "::2": "0:0:0:0::/64" },
    ...{ "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:0DB8:0001:0002::9": "2001:db8:1:2::/64" },
    ...{ "1::3:4:5:6:7": "1:0:0:3::/64", "10::ffff:1:2": "10:0:0:0::/64" },
    ...{ "2001:db8::9": "2001:db8:0:0::/64", "fe80::1%eth0": "fe80:0:0:0::/64" },
    ...{ "": "unknown", "127.1": "unknown", localhost: "unknown", "203.0.113.7, 127.0.0.1": "unknown" },
  };
  for (const [sent, address] of Object.entries(ADDRESSES))
    expect(clientAddress(sent), sent).toEqual({ address, isLoopback: false });
  expect(clientAddress(undefined)).toEqual({ address: "unknown", isLoopback: false });
  for (const loopback of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:7f00:1"])
    expect(clientAddress(loopback), loopback).toHaveProperty("isLoopback", true);
});
