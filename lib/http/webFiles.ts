/** Serves the files of the web app as its build has written them (scripts/bundle/web.ts). */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { DomainError } from "../domain/domainError.ts";
import { sha256 } from "../runtime/sha256.ts";
import { bytesResponse, type HttpResponse, textResponse } from "./responses.ts";

/** The number of earlier builds whose assets are still served. */
export const EARLIER_BUILDS = 3;

/**
 * The folders of the files: the build, and the assets of the builds before it, which pages that were opened before a
 * deployment still load (scripts/bundle/earlierPages.ts). They are at the same relative path from this source file as
 * from a bundle in `functions/web`, next to which the files are deployed.
 */
const BUILD = new URL("../../web/dist/", import.meta.url);
const EARLIER = Array.from(
  { length: EARLIER_BUILDS },
  (_, at) => new URL(`../../web/earlier/${at + 1}/`, import.meta.url),
);

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** Allows only files of the service's own origin, and the inline scripts of the page itself, by their hashes. */
const contentSecurityPolicy = (html: string): string => {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(" "),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
};

/** The names of files: a request for anything else never reaches the file system. */
const FILE = /^(?:assets\/)?[\w-]+\.[\w.-]+$/;
/** The names of assets contain a hash of their content. */
const ASSET = /^assets\//;

const read = async (path: string): Promise<Buffer | null> => {
  for (const folder of ASSET.test(path) ? [BUILD, ...EARLIER] : [BUILD]) {
    const bytes = await readFile(fileURLToPath(new URL(path, folder))).catch(() => null);
    if (bytes !== null) return bytes;
  }
  return null;
};

const cached = new Map<string, Buffer>();

/** Reads a file, once. @returns `null` if there is none */
const readOnce = async (path: string): Promise<Buffer | null> => {
  const bytes = cached.get(path) ?? (await read(path));
  // Missing files are not cached: their names would fill the memory.
  if (bytes !== null) cached.set(path, bytes);
  return bytes;
};

/**
 * The file at a path below `/app/`. Paths of pages, which have no file extension, get the one HTML file.
 * @throws DomainError `not_found`
 */
export const webFile = async (path: string): Promise<HttpResponse> => {
  const isPage = !path.split("/").at(-1)?.includes(".");
  const name = isPage ? "index.html" : path;
  const type = TYPES[extname(name)];
  const bytes = FILE.test(name) && type !== undefined ? await readOnce(name) : null;
  if (bytes === null || type === undefined) throw new DomainError("not_found", "There is no such page.");
  const headers = {
    "cache-control": ASSET.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": contentSecurityPolicy(isPage ? bytes.toString() : ""),
    etag: `W/"${sha256(bytes)}"`,
  };
  return type === "image/png"
    ? bytesResponse(bytes, type, headers)
    : textResponse(bytes.toString(), type, headers);
};
