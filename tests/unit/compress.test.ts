/** Which coding an answer goes out in, and that it says the same in each. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compressResponse, negotiateEncoding } from "../../lib/http/compress.ts";
import { bytesResponse, jsonResponse } from "../../lib/http/responses.ts";

describe("the coding of an answer", () => {
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
  ])("is for Accept-Encoding: %s", (field, coding) => {
    expect(negotiateEncoding(field)).toBe(coding);
  });
});

describe("an answer", () => {
  const text = JSON.stringify({ users: Array.from({ length: 100 }, (_, n) => ({ alias: `Zoë ${n}` })) });
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each(["br", "gzip"] as const)("says the same in %s, and is smaller", async (coding) => {
    const plain = jsonResponse(200, text);
    const { body = "", ...packed } = await compressResponse(plain, coding);
    expect(packed).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(packed.headers).toEqual({
      ...plain.headers,
      vary: "accept-encoding",
      "content-encoding": coding,
    });
    const bytes = Buffer.from(body, "base64");
    expect(bytes.length).toBeLessThan(Buffer.byteLength(text) / 2);
    expect(unpack[coding](bytes).toString()).toBe(text);
  });

  it("stays as it is for whoever asks for nothing, and says that others might", async () => {
    const plain = jsonResponse(200, text);
    expect(await compressResponse(plain, undefined)).toEqual({
      ...plain,
      headers: { ...plain.headers, vary: "accept-encoding" },
    });
  });

  it("stays as it is when it is small, empty, or bytes", async () => {
    for (const plain of [
      jsonResponse(200, JSON.stringify("x".repeat(1_021))),
      jsonResponse(204, null),
      bytesResponse(Buffer.alloc(5_000), "image/webp"),
    ]) {
      expect(await compressResponse(plain, "gzip, br")).toBe(plain);
    }
    expect(
      (await compressResponse(jsonResponse(200, JSON.stringify("x".repeat(1_022))), "br")).headers,
    ).toHaveProperty("content-encoding");
    // It is bytes that count.
    expect((await compressResponse(jsonResponse(200, "ß".repeat(512)), "br")).headers).toHaveProperty(
      "content-encoding",
    );
  });
});
