/** The result of packaging, which runs while other tests run. */
import { readFile, rename, writeFile } from "node:fs/promises";
import * as z from "zod/mini";

/** The error message; `null` on success. */
const Result = z.object({ error: z.nullable(z.string()) });
type Result = z.infer<typeof Result>;

/** Writes the result atomically, because the file is polled. */
export const writeResult = async (file: string, result: Result): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(result));
  await rename(`${file}.new`, file);
};

/** Reads the result; `null` if packaging is still running. */
export const readResult = async (file: string): Promise<Result | null> => {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? null : Result.parse(JSON.parse(text));
};
