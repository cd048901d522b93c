/** The script of the page that shows the API document: Scalar, and its start. */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { SCRIPT_VERSION, START } from "./docsPage.ts";
import { type HttpResponse, textResponse } from "./responses.ts";

/** The script of the page. Its URL contains its version, so it may be cached for a year. */
export const docsScript = async (): Promise<HttpResponse> => {
  // Fetched by `npm ci` (scripts/commands/postinstall.ts), and bundled with the function.
  const { default: stored } = await import("../../.cache/scalar.json", { with: { type: "json" } });
  const script = await promisify(brotliDecompress)(Buffer.from(stored.brotli, "base64"));
  return textResponse(`${script}${START}`, "text/javascript; charset=utf-8", {
    "cache-control": "public, max-age=31536000, immutable",
    etag: `"${stored.sha256}.${SCRIPT_VERSION}"`,
  });
};
