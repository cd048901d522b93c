/** Serves the files of the web app as its build has written them (scripts/bundle/web.ts). */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { DomainError } from "../domain/domainError.ts";
import { fileOf, type StaticFile } from "./staticFile.ts";

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
  ".woff2": "font/woff2",
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
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
};

const PAGE = "index.html";
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

const readFileAt = async (name: string): Promise<StaticFile | null> => {
  const type = TYPES[extname(name)];
  const bytes = FILE.test(name) && type !== undefined ? await read(name) : null;
  if (bytes === null || type === undefined) return null;
  return fileOf(bytes, type, {
    "cache-control": ASSET.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": contentSecurityPolicy(name === PAGE ? bytes.toString() : ""),
  });
};

const cached = new Map<string, StaticFile>();

/**
 * The file at a path below `/app/`. Paths of pages, which have no file extension, get the one HTML file.
 * @throws DomainError `not_found`
 */
export const webFile = async (path: string): Promise<StaticFile> => {
  const name = path.split("/").at(-1)?.includes(".") ? path : PAGE;
  const file = cached.get(name) ?? (await readFileAt(name));
  if (file === null) throw new DomainError("not_found", "There is no such page.");
  // Missing files are not cached: their names would fill the memory.
  cached.set(name, file);
  return file;
};
