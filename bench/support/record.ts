/** Records the results of the last full runs in bench/figures, and writes the documentation that derives from them. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDocuments } from "../../scripts/figures/documents.ts";
import { recordResult } from "../../scripts/figures/results.ts";
import { RESULTS } from "./report.ts";

/** Records the last full result of each of these parts. @throws UserError if a document has no place for a figure */
export const recordResults = async (names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const file = join(RESULTS, `${name}.json`);
    if (existsSync(file)) await recordResult(name, await readFile(file, "utf8"));
  }
  for (const change of await writeDocuments()) console.log(change);
};
