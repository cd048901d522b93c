/** What was packaged, for the tests; it is packaged while others run. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";

/** Folders with what was packaged: for the stage `test-packages`, and for `spring`, whose statements may write. */
const Packages = z.object({ forTests: z.string(), kept: z.string() });
export type Packages = z.infer<typeof Packages>;

const Told = z.union([z.object({ packages: Packages }), z.object({ fault: z.string() })]);

const told = (folder: string): string => join(folder, "told.json");

/** Tells what came of packaging. */
export const tell = async (folder: string, what: z.infer<typeof Told>): Promise<void> => {
  // Whole or not at all: it is looked for all the time.
  await writeFile(`${told(folder)}.new`, JSON.stringify(what));
  await rename(`${told(folder)}.new`, told(folder));
};

/**
 * Waits for what is packaged into a folder.
 * @throws Error with what was said when it cannot be packaged
 */
export const untilPackaged = async (folder: string): Promise<Packages> => {
  for (;;) {
    const text = await readFile(told(folder), "utf8").catch(() => null);
    if (text !== null) {
      const what = Told.parse(JSON.parse(text));
      if ("fault" in what) throw new Error(what.fault);
      return what.packages;
    }
    await pause(100);
  }
};
