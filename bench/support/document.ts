/** The tables of the last full run, as docs/performance.md shows them. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";

const DOCUMENT = join(ROOT, "docs/performance.md");
const RESULTS = join(ROOT, "bench/results");

const Cell = z.union([z.string(), z.number()]);
const Result = z.object({
  name: z.string(),
  at: z.string(),
  what: z.string(),
  machine: z.object({ cores: z.int(), cpu: z.string(), node: z.string(), pinned: z.boolean() }),
  targets: z.array(
    z.object({ figure: z.string(), measured: z.number(), target: z.string(), held: z.boolean() }),
  ),
  tables: z.array(z.array(z.record(z.string(), Cell))),
});

type Row = Record<string, string | number>;

const line = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;

const tableOf = (rows: readonly Row[]): string => {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = rows.map((row) => line(heads.map((head) => row[head] ?? "")));
  return [line(heads), line(heads.map(() => "---")), ...body].join("\n");
};

const shown = (text: string): string => {
  const { at, what, machine, targets, tables } = Result.parse(JSON.parse(text));
  const { cores, cpu, node, pinned } = machine;
  const where = `${at.slice(0, 10)}, Node.js ${node}, ${cores} cores (${cpu})${pinned ? ", one each for driver and subject" : ""}.`;
  const held = targets.map(({ figure, measured, target, held: isHeld }) => ({
    figure,
    measured: measured.toFixed(2),
    target,
    held: isHeld ? "yes" : "**no**",
  }));
  const all = [...tables, ...(held.length === 0 ? [] : [held])].filter((rows) => rows.length > 0);
  return [`${what[0]?.toUpperCase()}${what.slice(1)}. ${where}`, ...all.map(tableOf)].join("\n\n");
};

/**
 * Writes what the last full run of each of these parts came to between `<!-- NAME -->` and `<!-- end of NAME -->`.
 * @throws Error where the document has no such place
 */
export const writeDocument = async (names: readonly string[]): Promise<void> => {
  let document = await readFile(DOCUMENT, "utf8");
  for (const name of names) {
    const file = join(RESULTS, `${name}.json`);
    if (!existsSync(file)) continue;
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [document.indexOf(begin), document.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}`);
    const text = shown(await readFile(file, "utf8"));
    document = `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
  }
  await writeFile(DOCUMENT, document);
};
