/** Tests that the local push service rejects what a real one rejects. */
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import { type Posted, rejectionStatus } from "../support/browserPushRules.ts";

const ORIGIN = "https://push.example.org";
const NOW = 1_795_000_000_000;

const makeSender = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  return { privateKey, key: Buffer.concat(point).toString("base64url") };
};
type Sender = ReturnType<typeof makeSender>;

const own = makeSender();

/** A VAPID header with changed claims. */
const vapid = (changes: Record<string, unknown> = {}, { privateKey, key }: Sender = own): string => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { aud: ORIGIN, exp: (NOW + HOUR) / SECOND, sub: "mailto:gm@example.org", ...changes };
  const token = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(token), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `vapid t=${token}.${signature.toString("base64url")}, k=${key}`;
};

const statusOf = (changes: Posted["headers"] = {}, bytes = 4_096): number | null => {
  const right = {
    authorization: vapid(),
    ttl: "86400",
    topic: "x".repeat(32),
    "content-encoding": "aes128gcm",
  };
  const posted = { headers: { ...right, ...changes }, body: Buffer.alloc(bytes) };
  return rejectionStatus(posted, { origin: ORIGIN, key: own.key }, NOW);
};

describe("a message to a push service", () => {
  it("is accepted if it follows the standards", () => {
    expect(statusOf()).toBeNull();
    expect(statusOf({ ttl: "0", topic: undefined }, 0)).toBeNull();
    expect(statusOf({ authorization: vapid({ exp: (NOW + DAY) / SECOND }) })).toBeNull();
  });

  it.each([
    ["no sender", 401, undefined],
    ["another scheme", 401, "Bearer x"],
    ["no token", 403, "vapid "],
    ["another key", 403, vapid({}, makeSender())],
    ["another signature", 403, vapid({}, { ...makeSender(), key: own.key })],
    ["another audience", 403, vapid({ aud: "https://push.example.com" })],
    ["a path in the audience", 403, vapid({ aud: `${ORIGIN}/` })],
    ["an expired token", 403, vapid({ exp: NOW / SECOND })],
    ["a token that is valid for too long", 403, vapid({ exp: (NOW + DAY) / SECOND + 1 })],
    ["an expiry in milliseconds", 403, vapid({ exp: NOW + HOUR })],
    ["no expiry", 403, vapid({ exp: undefined })],
    ["no contact", 403, vapid({ sub: "gm@example.org" })],
  ])("is rejected with %s", (_what, status, authorization) => {
    expect(statusOf({ authorization })).toBe(status);
  });

  it("is rejected if it is malformed", () => {
    expect(statusOf({ ttl: undefined })).toBe(400);
    expect(statusOf({ ttl: "soon" })).toBe(400);
    expect(statusOf({ topic: "x".repeat(33) })).toBe(400);
    expect(statusOf({ topic: "not base64url" })).toBe(400);
    expect(statusOf({ "content-encoding": "aesgcm" })).toBe(400);
    expect(statusOf({}, 4_097)).toBe(413);
  });
});
