/** Writes the tables of the last full runs into docs/performance.md. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";
import { cellsOf, RESULTS, type Row, targetRows } from "./report.ts";

const DOCUMENT = join(ROOT, "docs/performance.md");

const Result = z.object({
  at: z.string(),
  what: z.string(),
  machine: z.object({ cores: z.int(), cpu: z.string(), node: z.string(), pinned: z.boolean() }),
  targets: z.array(
    z.object({ figure: z.string(), measured: z.number(), target: z.string(), met: z.boolean() }),
  ),
  tables: z.array(z.array(z.record(z.string(), z.union([z.string(), z.number()])))),
});

const markdownOf = (rows: readonly Row[]): string => {
  const [heads = [], ...lines] = cellsOf(rows);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [heads, heads.map(() => "---"), ...lines].map(line).join("\n");
};

const sectionOf = (text: string): string => {
  const { at, what, machine, targets, tables } = Result.parse(JSON.parse(text));
  const { cores, cpu, node, pinned } = machine;
  const cpus = `${cores} cores (${cpu})${pinned ? ", one each for driver and subject" : ""}`;
  const intro = `${what[0]?.toUpperCase()}${what.slice(1)}. ${at.slice(0, 10)}, Node.js ${node}, ${cpus}.`;
  const all = [...tables, targetRows(targets, "**no**")].filter((rows) => rows.length > 0);
  return [intro, ...all.map(markdownOf)].join("\n\n");
};

/**
 * Writes the last full result of each of these parts between `<!-- NAME -->` and `<!-- end of NAME -->`.
 * @throws Error if the document has no such section
 */
export const writeDocument = async (names: readonly string[]): Promise<void> => {
  let document = await readFile(DOCUMENT, "utf8");
  for (const name of names) {
    const file = join(RESULTS, `${name}.json`);
    if (!existsSync(file)) continue;
    const begin = `<!-- ${name} -->`;
    const [from, to] = [document.indexOf(begin), document.indexOf(`<!-- end of ${name} -->`)];
    if (from < 0 || to < from) throw new Error(`docs/performance.md has no section ${name}`);
    const section = sectionOf(await readFile(file, "utf8"));
    document = `${document.slice(0, from + begin.length)}\n\n${section}\n\n${document.slice(to)}`;
  }
  await writeFile(DOCUMENT, document);
};
