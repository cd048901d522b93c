/** Writes one zip per function, as it is uploaded. The same sources produce the same bytes. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { PAGES_FUNCTION, WEB_FUNCTIONS } from "../project/functions.ts";
import { makeBundles } from "./bundle.ts";
import { earlierPages } from "./earlierPages.ts";
import { provideScalar } from "./scalar.ts";
import { sharpFiles } from "./sharp.ts";
import { webFiles } from "./web.ts";

/** A function and its source file, relative to the repository. */
export interface Source {
  name: string;
  entry: string;
}

/**
 * A fixed date keeps the zips reproducible. The files are readable by all, because Lambda runs functions as another
 * user.
 */
const METADATA = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };

/** Makes a zip of files. */
export const zipped = (files: ReadonlyMap<string, Uint8Array>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [path, contents] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    zip.addBuffer(Buffer.from(contents), path, METADATA);
  }
  zip.end();
  return buffer(zip.outputStream);
};

/** The assets of earlier builds that running pages still load. */
const readEarlierPages = async (build: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array>> => {
  // Set by `npm run deploy`.
  const { EARLIER_PAGES } = process.env;
  return EARLIER_PAGES === undefined ? new Map() : earlierPages(build, await readFile(EARLIER_PAGES));
};

/**
 * Bundles functions and writes a zip for each into an existing folder.
 * @returns the path of each zip by function name
 * @throws UserError if what is deployed in or next to a bundle cannot be fetched; Error of esbuild for an invalid
 *   source
 */
export const writeZips = async (sources: readonly Source[], folder: string): Promise<Map<string, string>> => {
  await provideScalar();
  const bundles = await makeBundles(sources.map(({ entry }) => entry));
  const hasPages = sources.some(({ entry }) => entry.startsWith(WEB_FUNCTIONS));
  const build = hasPages ? await webFiles() : new Map<string, Uint8Array>();
  const written = sources.map(async ({ name, entry }, at): Promise<[string, string]> => {
    const bundle = bundles[at];
    if (bundle === undefined) throw new Error(`${name} was not bundled`);
    const packageFiles = bundle.packages.includes("sharp") ? await sharpFiles() : [];
    const pages = entry.startsWith(WEB_FUNCTIONS) ? build : [];
    const earlier = name === PAGES_FUNCTION ? await readEarlierPages(build) : [];
    const file = join(folder, `${name}.zip`);
    await writeFile(file, await zipped(new Map([...bundle.files, ...packageFiles, ...pages, ...earlier])));
    return [name, file];
  });
  return new Map(await Promise.all(written));
};
