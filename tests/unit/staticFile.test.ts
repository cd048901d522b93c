/** Files that are the same for everybody: what is done for a request, and what is not. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { docsPage } from "../../lib/http/docsPage.ts";
import { DOCS_SCRIPT } from "../../lib/http/docsScript.ts";
import { fileOf, type StaticFile, sendFile } from "../../lib/http/staticFile.ts";

const text = Buffer.from("Run. ".repeat(1_000));
const page = () => fileOf(text, "text/html; charset=utf-8", { "cache-control": "no-cache" });

/** Asks for a file, and counts how often something of it was loaded. */
const ask = async (file: StaticFile, ifNoneMatch?: string, acceptEncoding?: string) => {
  const load = vi.fn(file.load);
  const response = await sendFile({ ...file, load }, { ifNoneMatch, acceptEncoding });
  return { ...response, loads: load.mock.calls.length, bytes: Buffer.from(response.body ?? "", "base64") };
};

it.each([
  ["a page", page()],
  ["the page of the API reference", docsPage()],
  ["its script", DOCS_SCRIPT],
])("nothing of %s is loaded for a client that has it", async (_, file) => {
  const { etag } = file.headers;
  for (const known of [etag, `"other", ${etag.replace("W/", "")}`, "*"]) {
    const { statusCode, headers, body, loads } = await ask(file, known, "br");
    expect([statusCode, body, loads]).toEqual([304, undefined, 0]);
    expect(headers).toMatchObject({ etag, vary: "accept-encoding" });
  }
  expect(await ask(file, '"other"', "br")).toMatchObject({ statusCode: 200, loads: 1 });
});

it("a file is compressed once for each encoding, whoever asks for it", async () => {
  const file = page();
  for (const [encoding, unpack] of [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const) {
    const [first, second] = await Promise.all([file.load(encoding), file.load(encoding)]);
    expect((await file.load(encoding)).bytes).toBe(first.bytes);
    expect(second.bytes).toBe(first.bytes);
    const sent = await ask(file, undefined, encoding);
    expect(sent.headers).toMatchObject({ "content-encoding": encoding });
    expect(unpack(sent.bytes)).toEqual(text);
  }
  const plain = await ask(file);
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(plain.bytes).toEqual(text);
});

it("pictures and small files are sent as they are", async () => {
  for (const file of [fileOf(text, "image/png", {}), fileOf(text.subarray(0, 1_000), "text/css", {})]) {
    const { headers } = await ask(file, undefined, "br");
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("vary");
  }
});

it.each([
  ["*;q=0", "gzip"],
  ["gzip, deflate, br", "br"],
])("the script of the API reference is never sent unpacked: %s gets %s", async (field, encoding) => {
  const { headers, bytes } = await ask(DOCS_SCRIPT, undefined, field);
  expect(headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" });
  expect(bytes.length).toBeLessThan(1_300_000);
  const script = encoding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes);
  expect(script.length).toBeGreaterThan(4_000_000);
});
