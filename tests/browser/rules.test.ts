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

const judged = (changes: Posted["headers"] = {}, bytes = 4_096): number | null => {
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
  it("is taken as the standards have it", () => {
    expect(judged()).toBeNull();
    expect(judged({ ttl: "0", topic: undefined }, 0)).toBeNull();
    expect(judged({ authorization: vapid({ exp: (NOW + DAY) / SECOND }) })).toBeNull();
  });

  it.each([
    ["nobody", 401, undefined],
    ["another scheme", 401, "Bearer x"],
    ["no token", 403, "vapid "],
    ["another's key", 403, vapid({}, makeSender())],
    ["another's signature", 403, vapid({}, { ...makeSender(), key: own.key })],
    ["a message to another service", 403, vapid({ aud: "https://push.example.com" })],
    ["the path beside the origin", 403, vapid({ aud: `${ORIGIN}/` })],
    ["what has run out", 403, vapid({ exp: NOW / SECOND })],
    ["what is good for too long", 403, vapid({ exp: (NOW + DAY) / SECOND + 1 })],
    ["milliseconds", 403, vapid({ exp: NOW + HOUR })],
    ["no end", 403, vapid({ exp: undefined })],
    ["nobody to write to", 403, vapid({ sub: "gm@example.org" })],
  ])("is refused from %s", (_what, status, authorization) => {
    expect(judged({ authorization })).toBe(status);
  });

  it("is refused when it is not one", () => {
    expect(judged({ ttl: undefined })).toBe(400);
    expect(judged({ ttl: "soon" })).toBe(400);
    expect(judged({ topic: "x".repeat(33) })).toBe(400);
    expect(judged({ topic: "not base64url" })).toBe(400);
    expect(judged({ "content-encoding": "aesgcm" })).toBe(400);
    expect(judged({}, 4_097)).toBe(413);
  });
});
