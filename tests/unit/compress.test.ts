/** Compression of responses and of stored JSON. */
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compressResponse, negotiateEncoding, withVary } from "../../lib/http/compress.ts";
import { bytesResponse, type HttpResponse, jsonResponse } from "../../lib/http/responses.ts";
import { packJson, unpackJson } from "../../lib/store/packedJson.ts";

it.each([
  [undefined, null],
  ["deflate, zstd", null],
  ["GZIP", "gzip"],
  ["gzip, deflate, br", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["*;q=0", null],
  ["gzip;q=0.001", "gzip"],
  ["gzip;q=high", null],
  ["gzip;q=2", null],
  [",,;;=,", null],
])("Accept-Encoding: %s selects %s", (field, coding) => {
  expect(negotiateEncoding(field)).toBe(coding);
});

describe("a response", () => {
  const text = JSON.stringify({ users: Array.from({ length: 100 }, (_, n) => ({ alias: `Zoë ${n}` })) });
  const plain = jsonResponse(200, text);
  const vary = { ...plain.headers, vary: "accept-encoding" };
  const compressed = (response: HttpResponse, field?: string) => compressResponse(withVary(response), field);

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

  it("is compressed from 1,024 bytes on if that is requested and it is no image", async () => {
    expect(await compressed(plain, undefined)).toEqual({ ...plain, headers: vary });
    const small = jsonResponse(200, JSON.stringify("x".repeat(1_021)));
    const image = bytesResponse(Buffer.alloc(5_000), "image/webp");
    for (const response of [small, jsonResponse(204, null), image])
      expect(await compressed(response, "gzip, br")).toBe(response);
    const large = await compressed(jsonResponse(200, "ß".repeat(512)), "br");
    expect(large.headers).toHaveProperty("content-encoding");
  });
});

it("stored JSON is packed and read again; what is no JSON, or not compressed, rejects", async () => {
  const value = { a: ["ä", null] };
  expect(await unpackJson(await packJson(value))).toEqual(value);
  await expect(unpackJson(gzipSync("no JSON"))).rejects.toThrow(SyntaxError);
  await expect(unpackJson(Buffer.from("no gzip"))).rejects.toThrow(/header/);
});
