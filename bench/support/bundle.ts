/** Bundles as a deployment makes them, laid down in a folder to be run and weighed. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeBundles, type Size, sizeOf } from "../../scripts/bundle/bundle.ts";

export interface Bundle extends Size {
  /** What it was made of, from the root. */
  entry: string;
  file: string;
}

/** Bundles one file of the repository into a folder. */
export const bundle = async (entry: string, folder: string): Promise<Bundle> => {
  const [made] = await makeBundles([entry], { sourceMaps: false });
  if (made === undefined) throw new Error(`no bundle was made of ${entry}`);
  for (const [path, contents] of made.files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return { entry, file: join(folder, made.main), ...sizeOf(made) };
};
