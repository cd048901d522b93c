/** The script of the page that shows the API document: Scalar. */
import { VARY } from "./compress.ts";
import { SCALAR_VERSION } from "./docsPage.ts";
import type { StaticFile } from "./staticFile.ts";

// Fetched by `npm ci` (scripts/bundle/scalar.ts), and bundled with the function.
const STORED = {
  br: () => import("../../.cache/scalar-br.json", { with: { type: "json" } }),
  gzip: () => import("../../.cache/scalar-gzip.json", { with: { type: "json" } }),
};

/**
 * The script of the page, of 4.3 MB. Only its compressed forms exist, so that nobody can make the service unpack or send
 * all of it. A client that accepts neither gets gzip, whatever it says: RFC 9110 allows that (section 12.4.1), and allows
 * any encoding if the client names none (section 12.5.3). Its URL contains its version, so it may be cached for a year.
 */
export const DOCS_SCRIPT: StaticFile = {
  headers: {
    ...VARY,
    "cache-control": "public, max-age=31536000, immutable",
    "content-type": "text/javascript; charset=utf-8",
    etag: `W/"${SCALAR_VERSION}"`,
  },
  load: async (preferred) => {
    const encoding = preferred ?? "gzip";
    const { default: stored } = await STORED[encoding]();
    return { bytes: Buffer.from(stored.base64, "base64"), encoding };
  },
};
