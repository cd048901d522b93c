/** A random sample of a group's mutants: a whole group takes hours. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";
import { randomFrom } from "../support/battery.ts";

const INSTRUMENTER = "tests/mutants/node_modules/@stryker-mutator/instrumenter/dist/src/index.js";

/** A mutant with more lines holds many others, which Stryker would run with it. */
const MAX_LINES = 3;

const Position = z.object({ line: z.int(), column: z.int() });

/** What is used of the package `@stryker-mutator/instrumenter`, which is installed only for mutation tests. */
const Mutants = z.array(
  z.object({ fileName: z.string(), location: z.object({ start: Position, end: Position }) }),
);

/** Finds every mutant of some files, with Stryker's own instrumenter. */
const mutantsOf = async (files: readonly { name: string; content: string }[]) => {
  const { Instrumenter } = await import(join(ROOT, INSTRUMENTER));
  const ignoreLog = () => false;
  const logger = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, isDebugEnabled: ignoreLog };
  const { mutants } = await new Instrumenter(logger).instrument(
    files.map((file) => ({ ...file, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  return Mutants.parse(mutants);
};

/**
 * Chooses small mutants at random.
 * @param folder the tree with the sources
 * @param patterns globs of the sources
 * @returns ranges for Stryker's option `--mutate`. It runs every mutant inside them, also smaller ones
 */
export const sampleOf = async (
  folder: string,
  patterns: readonly string[],
  count: number,
  seed: number,
): Promise<string[]> => {
  const names = globSync([...patterns], { cwd: folder }).sort();
  const files = names.map(async (name) => ({ name, content: await readFile(join(folder, name), "utf8") }));
  const small = (await mutantsOf(await Promise.all(files))).filter(
    ({ location: { start, end } }) => end.line - start.line < MAX_LINES,
  );
  const chosen = randomFrom(seed).shuffle(small).slice(0, count);
  const ranges = chosen.map(
    ({ fileName, location: { start, end } }) =>
      `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`,
  );
  return [...new Set(ranges)];
};
