/** Compression of responses. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { codingFor, compressed } from "../../lib/http/compress.ts";
import { bytesReply, reply } from "../../lib/http/responses.ts";

it.each([
  [undefined, null],
  ["", null],
  ["identity", null],
  ["deflate, zstd", null],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate, br", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.4", "br"],
  ["gzip;q=0, br;q=0", null],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["*;q=0", null],
  ["gzip;q=0.001", "gzip"],
  ["gzip ; q=1.000", "gzip"],
  ["gzip;q=high", null],
  ["gzip;q=2", null],
  ["br;level=4", null],
  [",,;;=,", null],
])("Accept-Encoding: %s selects %s", (field, coding) => {
  expect(codingFor(field)).toBe(coding);
});

describe("a response", () => {
  const text = JSON.stringify({ users: Array.from({ length: 100 }, (_, n) => ({ alias: `Zoë ${n}` })) });
  const plain = reply(200, text);
  const vary = { ...plain.headers, vary: "accept-encoding" };

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("holds the same text in %s, and is smaller", async (coding, unpack) => {
    const { body = "", ...packed } = await compressed(plain, coding);
    expect(packed).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(packed.headers).toEqual({ ...vary, "content-encoding": coding });
    const bytes = Buffer.from(body, "base64");
    expect(bytes.length).toBeLessThan(Buffer.byteLength(text) / 2);
    expect(unpack(bytes).toString()).toBe(text);
  });

  it("is not compressed unless requested, but varies by the header", async () => {
    expect(await compressed(plain, undefined)).toEqual({ ...plain, headers: vary });
  });

  it("is not compressed below 1,024 bytes, without a body, or when it is an image", async () => {
    const small = reply(200, JSON.stringify("x".repeat(1_021)));
    for (const response of [small, reply(204, null), bytesReply(Buffer.alloc(5_000), "image/webp")]) {
      expect(await compressed(response, "gzip, br")).toBe(response);
    }
    for (const large of [JSON.stringify("x".repeat(1_022)), "ß".repeat(512)]) {
      expect((await compressed(reply(200, large), "br")).headers).toHaveProperty("content-encoding");
    }
  });
});
