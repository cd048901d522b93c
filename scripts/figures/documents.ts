/** The documents with figures that derive from the benchmarks and the prices. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFigures } from "../cost/figures.ts";
import { ROOT } from "../project/root.ts";
import { costDerivations } from "./costs.ts";
import type { Derivation, Draft } from "./derive.ts";
import { performanceDerivations } from "./performance.ts";

const PERFORMANCE = "docs/performance.md";

const read = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");

/** Returns the documents with all figures up to date. @throws UserError if one has lost the place of a figure */
export const derivedDocuments = async (): Promise<Draft[]> => {
  const performance = await performanceDerivations(await read(PERFORMANCE));
  const all = new Map<string, readonly Derivation[]>([
    [PERFORMANCE, performance],
    ...costDerivations(await readFigures()),
  ]);
  return Promise.all(
    [...all].map(async ([file, derivations]) => {
      const draft: Draft = { file, text: await read(file), changes: [] };
      return derivations.reduce((before, derive) => derive(before), draft);
    }),
  );
};

/** Writes all figures. @returns what was wrong before */
export const writeDocuments = async (): Promise<string[]> => {
  const drafts = await derivedDocuments();
  await Promise.all(drafts.map(({ file, text }) => writeFile(join(ROOT, file), text)));
  return drafts.flatMap(({ changes }) => changes);
};
