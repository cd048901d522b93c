/** What a bench says: tables on the screen, and all of it as JSON in bench/results. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { machine } from "./machine.ts";
import type { Rounds } from "./rounds.ts";

const RESULTS = join(import.meta.dirname, "../results");

/** A figure, and the bound that it is to keep. */
export interface Target {
  figure: string;
  measured: number;
  target: string;
  held: boolean;
}

export const atMost = (figure: string, measured: number, most: number): Target => ({
  figure,
  measured,
  target: `at most ${most}`,
  held: measured <= most,
});

export const atLeast = (figure: string, measured: number, least: number): Target => ({
  figure,
  measured,
  target: `at least ${least}`,
  held: measured >= least,
});

/** One line of a table; its keys head the columns. */
export type Row = Record<string, string | number>;

export interface Report {
  name: string;
  quick: boolean;
  /** What was run, in a line. */
  what: string;
  rounds?: Pick<Rounds<string, unknown>, "all" | "counted" | "told">;
  tables: Row[][];
  targets: readonly Target[];
  /** What else goes into the file. */
  more?: Record<string, unknown>;
}

/** A table in plain text, its first line the heads of the columns. */
const tableOf = (rows: readonly Row[]): string => {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [heads, ...rows.map((row) => heads.map((head) => String(row[head] ?? "")))];
  const widths = heads.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const isNumber = heads.map((head) =>
    rows.every((row) => /^[\d.,]*( \(.*\))?$/.test(String(row[head] ?? ""))),
  );
  const shown = lines.map((line) =>
    line
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const [head = "", ...rest] = shown;
  return [head, "-".repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...rest].join("\n");
};

/** Prints, and writes bench/results/NAME.json; a quick run writes beside what was measured. */
export const report = async ({ name, quick, what, rounds, tables, targets, more }: Report): Promise<void> => {
  const on = machine();
  const pinned = on.pinned ? "one each for driver and subject" : "for all together";
  console.log(`\n${name}: ${what}`);
  console.log(`${on.cores} cores (${on.cpu}), ${pinned}; Node.js ${on.node}`);
  if (rounds !== undefined) console.log(rounds.told);
  if (quick) console.log("Quick: so few that times say nothing.");
  for (const table of tables) console.log(`\n${tableOf(table)}`);
  if (targets.length > 0) {
    const shown = targets.map(({ figure, measured, target, held }) => ({
      figure,
      measured: measured.toFixed(2),
      target,
      held: held ? "yes" : "NO",
    }));
    console.log(`\n${tableOf(shown)}`);
  }
  await mkdir(RESULTS, { recursive: true });
  const told = {
    name,
    at: new Date().toISOString(),
    quick,
    what,
    machine: on,
    targets,
    tables,
    ...more,
    ...(rounds === undefined
      ? {}
      : { rounds: rounds.all.map((one) => ({ counts: rounds.counted.includes(one), ...one })) }),
  };
  await writeFile(
    join(RESULTS, `${name}${quick ? ".quick" : ""}.json`),
    `${JSON.stringify(told, null, 2)}\n`,
  );
};
