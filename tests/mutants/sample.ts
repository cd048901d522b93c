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

const Place = z.object({ line: z.int(), column: z.int() });

/** What is used of the package `@stryker-mutator/instrumenter`, which is installed only for mutation tests. */
const Mutant = z.object({ fileName: z.string(), location: z.object({ start: Place, end: Place }) });
type Mutant = z.infer<typeof Mutant>;

/** Finds every mutant of some files, with Stryker's own instrumenter. */
const mutantsOf = async (files: readonly { name: string; content: string }[]) => {
  const { Instrumenter } = await import(join(ROOT, INSTRUMENTER));
  const ignoreLog = () => false;
  const logger = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, isDebugEnabled: ignoreLog };
  const { mutants } = await new Instrumenter(logger).instrument(
    files.map((file) => ({ ...file, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  return z.array(Mutant).parse(mutants);
};

const indexOf = ({ line, column }: z.infer<typeof Place>): number => line * 10_000 + column;
/** Whether Stryker runs a mutant when it is given the range of another one. */
const isWithin = ({ fileName, location }: Mutant, outer: Mutant): boolean =>
  fileName === outer.fileName &&
  indexOf(outer.location.start) <= indexOf(location.start) &&
  indexOf(location.end) <= indexOf(outer.location.end);

/**
 * Chooses small mutants at random.
 * @param folder the tree with the sources
 * @param patterns globs of the sources
 * @param count the number of mutants, including those inside a chosen one; the last choice may exceed it
 * @returns ranges for Stryker's option `--mutate`, which runs every mutant inside them
 */
export const sampleOf = async (
  folder: string,
  patterns: readonly string[],
  count: number,
  seed: number,
): Promise<string[]> => {
  const names = globSync([...patterns], { cwd: folder }).sort();
  const files = names.map(async (name) => ({ name, content: await readFile(join(folder, name), "utf8") }));
  const all = await mutantsOf(await Promise.all(files));
  const small = all.filter(({ location: { start, end } }) => end.line - start.line < MAX_LINES);
  const chosen = new Set<Mutant>();
  const ranges = new Set<string>();
  for (const mutant of randomFrom(seed).shuffle(small)) {
    if (chosen.size >= count) break;
    const { fileName, location } = mutant;
    const { start, end } = location;
    ranges.add(`${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`);
    for (const inner of all) if (isWithin(inner, mutant)) chosen.add(inner);
  }
  return [...ranges];
};
