/** The report of a bench: tables on the screen, and all of it as JSON in bench/results. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alignColumns } from "../../scripts/cli/table.ts";
import type { Row, Target } from "../../scripts/figures/results.ts";
import { cellsOf, targetRows } from "../../scripts/figures/tables.ts";
import { machine } from "./machine.ts";

export const RESULTS = join(import.meta.dirname, "../results");

export type { Row, Target };

export const atMost = (figure: string, measured: number, most: number): Target => ({
  figure,
  measured,
  target: `at most ${most}`,
  met: measured <= most,
});

export const atLeast = (figure: string, measured: number, least: number): Target => ({
  figure,
  measured,
  target: `at least ${least}`,
  met: measured >= least,
});

export const allMet = (targets: readonly Target[]): boolean => targets.every(({ met }) => met);

const printTable = (rows: readonly Row[]): void => {
  const cells = cellsOf(rows);
  const [first = "", ...lines] = alignColumns(cells);
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0))) ?? [];
  console.log(["", first, widths.map((width) => "-".repeat(width)).join("  "), ...lines].join("\n"));
};

export interface Report {
  /** Describes in one line what was measured. */
  what: string;
  rounds?: { all: readonly unknown[]; summary: string };
  tables: Row[][];
  targets: readonly Target[];
  /** Whether sizes and capacity units are within their bounds. Times never cause a failure. */
  met: boolean;
}

/**
 * Measures a part.
 * @param quick whether little work is enough
 * @param cleanups collects what must be stopped or removed after the part
 * @throws Error on a wrong response
 */
export type Bench = (quick: boolean, cleanups: AsyncDisposableStack) => Promise<Report>;

/** Prints a report, and writes it to bench/results/NAME.json, or NAME.quick.json. */
export const publish = async (name: string, quick: boolean, { rounds, ...result }: Report): Promise<void> => {
  const { what, tables, targets } = result;
  const on = machine();
  const pinned = on.pinned ? "one each for driver and subject" : "for all together";
  console.log(`\n${name}: ${what}`);
  console.log(`${on.cores} cores (${on.cpu}), ${pinned}; Node.js ${on.node}`);
  if (rounds !== undefined) console.log(rounds.summary);
  if (quick) console.log("A quick run: its times mean nothing.");
  for (const table of tables) printTable(table);
  if (targets.length > 0) printTable(targetRows(targets, "NO"));
  const json = { name, quick, ...result, at: new Date().toISOString(), machine: on, rounds: rounds?.all };
  await mkdir(RESULTS, { recursive: true });
  const file = join(RESULTS, `${name}${quick ? ".quick" : ""}.json`);
  await writeFile(file, `${JSON.stringify(json, null, 2)}\n`);
};
