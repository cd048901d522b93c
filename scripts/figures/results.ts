/**
 * The recorded results of the benchmarks, one JSON file for each part in bench/figures. The tables of
 * docs/performance.md and the cost estimate derive from them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const FOLDER = "bench/figures";

/** The values of all rounds: their median, the least and the most, shown with this number of decimals. */
const Spread = z.object({ median: z.number(), least: z.number(), most: z.number(), digits: z.int() });
export type Spread = z.infer<typeof Spread>;

/** Capacity units of one operation. */
const Units = z.object({ read: z.number(), write: z.number() });
export type Units = z.infer<typeof Units>;

const Cell = z.union([z.string(), z.number(), Spread, Units]);
export type Cell = z.infer<typeof Cell>;

/** A row of a table: its cells by column. */
export type Row = Readonly<Record<string, Cell>>;

const Target = z.object({ figure: z.string(), measured: z.number(), target: z.string(), met: z.boolean() });
/** A measured value and its bound. */
export type Target = z.infer<typeof Target>;

const Machine = z.object({ cores: z.int(), cpu: z.string(), node: z.string(), pinned: z.boolean() });

const Result = z.object({
  /** When it was measured, as an ISO date, with or without a time. */
  at: z.string(),
  what: z.string(),
  machine: Machine,
  tables: z.array(z.array(z.record(z.string(), Cell))),
  targets: z.array(Target),
});
export type Result = z.infer<typeof Result>;

const fileOf = (name: string): string => join(ROOT, FOLDER, `${name}.json`);

const invalid = (name: string, what: string): UserError =>
  new UserError(`${FOLDER}/${name}.json ${what}. Measure again with npm run bench -- ${name} --write`);

/** Reads the recorded result of a part. @throws UserError if there is none, or it is damaged */
export const readResult = async (name: string): Promise<Result> => {
  const text = await readFile(fileOf(name), "utf8").catch(() => {
    throw invalid(name, "is missing");
  });
  try {
    return Result.parse(JSON.parse(text));
  } catch {
    throw invalid(name, "is damaged");
  }
};

/** Records the result of a part. @param json what the part has written into bench/results */
export const recordResult = async (name: string, json: string): Promise<void> => {
  const { at, what, machine, tables, targets } = Result.parse(JSON.parse(json));
  const linesOf = (rows: readonly unknown[], indent: string): string =>
    rows.map((row) => `\n${indent}${JSON.stringify(row)}`).join(",");
  const fields = [
    `"at": ${JSON.stringify(at)}`,
    `"what": ${JSON.stringify(what)}`,
    `"machine": ${JSON.stringify(machine)}`,
    `"tables": [${tables.map((rows) => `\n    [${linesOf(rows, "      ")}\n    ]`).join(",")}\n  ]`,
    `"targets": [${linesOf(targets, "    ")}\n  ]`,
  ];
  // A row in each line, so that a difference of two versions can be read.
  await writeFile(fileOf(name), `{\n  ${fields.join(",\n  ")}\n}\n`);
};

/** Returns the first table of a result with all of these columns. @throws UserError if there is none */
export const tableOf = (name: string, { tables }: Result, columns: readonly string[]): readonly Row[] => {
  const found = tables.find(([first = {}]) => columns.every((column) => column in first));
  if (found === undefined) throw invalid(name, `has no table of ${columns.join(", ")}`);
  return found;
};

/** Returns a measured number: of several rounds the median. @throws UserError if the cell has none */
export const numberIn = (name: string, row: Row | undefined, column: string): number => {
  const cell = row?.[column];
  const isSpread = typeof cell === "object" && "median" in cell;
  // A bench may have written thousands with commas, as the document shows them.
  const value = isSpread ? cell.median : Number.parseFloat(String(cell).replaceAll(",", ""));
  if (Number.isNaN(value)) throw invalid(name, `has no figure for ${column}`);
  return value;
};

/** Returns the capacity units in a cell. @throws UserError if it has none */
export const unitsIn = (name: string, row: Row | undefined, column: string): Units => {
  const cell = row?.[column];
  if (typeof cell === "object" && "read" in cell) return cell;
  throw invalid(name, `has no units for ${column}`);
};
