/** Serves the files of the web app as its build has written them (scripts/bundle/web.ts). */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { DomainError } from "../domain/domainError.ts";
import { HOUR } from "../domain/time.ts";
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
/** What the page and the manifest contain in place of the game's own name and description (web/index.html). */
const [NAME, DESCRIPTION] = ["Humans vs Zombies", "One campus, one week. Stay human, or feed."];
const PREVIEW = "/preview.png";
/** Chats keep a picture by its address: a link that is shared again later gets the outbreak of then. */
const PREVIEW_MS = HOUR;
const MAX_DESCRIPTION = 200;

/** What differs from game to game in the page and in the manifest. */
interface Naming {
  name: string;
  description: string | null;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;" },
  ...{ '"': "&quot;", "'": "&#39;" },
};
const inHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text in one line, cut between words if it is long. */
const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_DESCRIPTION
    ? line
    : `${line
        .slice(0, MAX_DESCRIPTION)
        .replace(/\s\S*$/, "")
        .trim()} …`;
};

/** The files that name the game, and how. */
const NAMED: Readonly<
  Record<string, (file: string, naming: Naming, call: { origin: string; now: number }) => string>
> = {
  "index.html": (html, { name, description }, { origin, now }) =>
    html
      .replaceAll(NAME, () => inHtml(name))
      .replaceAll(DESCRIPTION, () => inHtml(shortened(description ?? DESCRIPTION)))
      .replaceAll(PREVIEW, () => inHtml(`${origin}${PREVIEW}?${Math.floor(now / PREVIEW_MS)}`)),
  "manifest.webmanifest": (json, { name }) => json.replaceAll(NAME, () => inJson(name)),
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

/** A file of the build that only the service reads. @throws Error if there is none */
export const buildFile = (name: string): Promise<Buffer> => readFile(fileURLToPath(new URL(name, BUILD)));

const headersOf = (name: string, bytes: Buffer): Readonly<Record<string, string>> => ({
  "cache-control": ASSET.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
  "content-security-policy": contentSecurityPolicy(name === PAGE ? bytes.toString() : ""),
});

/** A file of this process: as it is sent, and its bytes if it names the game. */
interface Kept {
  file: StaticFile;
  template: Buffer | null;
}

const readFileAt = async (name: string): Promise<Kept | null> => {
  const type = TYPES[extname(name)];
  const bytes = FILE.test(name) && type !== undefined ? await read(name) : null;
  if (bytes === null || type === undefined) return null;
  return { file: fileOf(bytes, type, headersOf(name, bytes)), template: name in NAMED ? bytes : null };
};

const cached = new Map<string, Kept>();
/** The last file with a name, by its own name: it is compressed once for all who get the same. */
const named = new Map<string, { text: string; file: StaticFile }>();

const nameFile = (name: string, template: Buffer, text: string): StaticFile => {
  const last = named.get(name);
  if (last?.text === text) return last.file;
  const file = fileOf(Buffer.from(text), TYPES[extname(name)] ?? "", headersOf(name, template));
  named.set(name, { text, file });
  return file;
};

/**
 * The file at a path below `/app/`. Paths of pages, which have no file extension, get the one HTML file. It and the manifest
 * have the name of the game.
 * @param call the origin of the request, and its time in milliseconds since 1970
 * @param readNaming reads the name; `null` if it is unknown
 * @throws DomainError `not_found`
 */
export const webFile = async (
  path: string,
  call: { origin: string; now: number },
  readNaming: () => Promise<Naming | null>,
): Promise<StaticFile> => {
  const name = path.split("/").at(-1)?.includes(".") ? path : PAGE;
  const found = cached.get(name) ?? (await readFileAt(name));
  if (found === null) throw new DomainError("not_found", "There is no such page.");
  // Missing files are not cached: their names would fill the memory.
  cached.set(name, found);
  const fill = NAMED[name];
  if (fill === undefined || found.template === null) return found.file;
  const naming = (await readNaming()) ?? { name: NAME, description: null };
  return nameFile(name, found.template, fill(found.template.toString(), naming, call));
};
