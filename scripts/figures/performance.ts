/** The tables of docs/performance.md, from the recorded results of the benchmarks. */
import { type Derivation, section } from "./derive.ts";
import { type Result, readResult } from "./results.ts";
import { markdownOf, targetRows } from "./tables.ts";

const textOf = ({ at, what, machine, targets, tables }: Result): string => {
  const { cores, cpu, node, pinned } = machine;
  const cpus = `${cores} cores (${cpu})${pinned ? ", one each for driver and subject" : ""}`;
  const intro = `${what[0]?.toUpperCase()}${what.slice(1)}. ${at.slice(0, 10)}, Node.js ${node}, ${cpus}.`;
  const all = [...tables, targetRows(targets, "**no**")].filter((rows) => rows.length > 0);
  return [intro, ...all.map(markdownOf)].join("\n\n");
};

/**
 * Derives every section of docs/performance.md.
 * @param text the document
 * @throws UserError if the result of a section is missing
 */
export const performanceDerivations = (text: string): Promise<Derivation[]> => {
  const names = [...text.matchAll(/<!-- end of (\w+) -->/g)].map(([, name = ""]) => name);
  return Promise.all(names.map(async (name) => section(name, textOf(await readResult(name)))));
};
