/** One zip for each function, as it is uploaded; the same sources give the same bytes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { makeBundles } from "./bundle.ts";
import { sharpFiles } from "./sharp.ts";

/** A function, and the file of its handler from the root. */
export interface Source {
  name: string;
  entry: string;
}

/** Nothing in a zip changes with the day, and everybody may read: Lambda runs functions as a user of its own. */
const METADATA = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };

const zipped = (files: ReadonlyMap<string, Uint8Array>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [path, contents] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    zip.addBuffer(Buffer.from(contents), path, METADATA);
  }
  zip.end();
  return buffer(zip.outputStream);
};

/**
 * Bundles functions, and writes a zip for each into a folder that is there.
 * @returns the file of each function's zip, by its name
 * @throws UserError when what is deployed beside a bundle cannot be fetched; Error of esbuild for a source at fault
 */
export const writeZips = async (sources: readonly Source[], folder: string): Promise<Map<string, string>> => {
  const bundles = await makeBundles(sources.map(({ entry }) => entry));
  const written = sources.map(async ({ name }, at): Promise<[string, string]> => {
    const bundle = bundles[at];
    if (bundle === undefined) throw new Error(`${name} was not bundled`);
    const beside = bundle.packages.includes("sharp") ? await sharpFiles() : [];
    const file = join(folder, `${name}.zip`);
    await writeFile(file, await zipped(new Map([...bundle.files, ...beside])));
    return [name, file];
  });
  return new Map(await Promise.all(written));
};
