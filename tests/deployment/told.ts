/** What came of packaging, which goes on while other tests run. */
import { readFile, rename, writeFile } from "node:fs/promises";
import * as z from "zod/mini";

/** What was said when it could not be packaged; `null` when all was. */
const Told = z.object({ fault: z.nullable(z.string()) });
type Told = z.infer<typeof Told>;

export const tell = async (file: string, told: Told): Promise<void> => {
  // Whole or not at all: it is looked for all the time.
  await writeFile(`${file}.new`, JSON.stringify(told));
  await rename(`${file}.new`, file);
};

/** What has been told by now. */
export const told = async (file: string): Promise<Told | null> => {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? null : Told.parse(JSON.parse(text));
};
