/**
 * Reads the benchmark results from the tables that `npm run bench -- --write` writes into docs/performance.md, the
 * only copy that is committed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const DOCUMENT = "docs/performance.md";

/** Capacity units of one operation. */
export interface Units {
  read: number;
  write: number;
}

export interface Figures {
  /** The date of each benchmark, as YYYY-MM-DD. */
  at: Record<string, string>;
  /** Capacity units by operation and number of shards. */
  units: (operation: string, shards: number) => Units;
  /** The numbers of shards that were measured. */
  shards: readonly number[];
  /** CPU time in milliseconds of one core. */
  cpu: { player: number; hunt: number; login: number; cold: number };
}

type Row = Record<string, string>;

const invalidDocument = (what: string): UserError =>
  new UserError(`${DOCUMENT} ${what}. Measure again with npm run bench -- --write`);

const sectionOf = (document: string, name: string): string => {
  const [, text] = new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- end of ${name} -->`).exec(document) ?? [];
  if (text === undefined) throw invalidDocument(`has no section ${name}`);
  return text;
};

const dateOf = (section: string, name: string): string => {
  const [, date] = /(\d{4}-\d{2}-\d{2}), Node\.js/.exec(section) ?? [];
  if (date === undefined) throw invalidDocument(`has no date for ${name}`);
  return date;
};

const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Returns the rows of the first table of a section that has all of these columns. */
const rowsOf = (section: string, name: string, columns: readonly string[]): Row[] => {
  for (const block of section.split("\n\n")) {
    const [head = "", _rule, ...lines] = block.trim().split("\n");
    const heads = cellsOf(head);
    if (!columns.every((column) => heads.includes(column))) continue;
    return lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [heads[at] ?? "", cell])));
  }
  throw invalidDocument(`has no table of ${columns.join(", ")} in the section ${name}`);
};

/** Returns the rows of a table, found by its section and some of its columns. @throws UserError */
export const rowsIn = (document: string, name: string, columns: readonly string[]): Row[] =>
  rowsOf(sectionOf(document, name), name, columns);

/** Parses the number at the beginning of a cell, as in `2103 (1836 to 3215)`. */
const numberIn = (row: Row | undefined, column: string): number => {
  const number = Number.parseFloat(row?.[column] ?? "");
  if (Number.isNaN(number)) throw invalidDocument(`has no figure for ${column}`);
  return number;
};

/** @throws UserError if a table or a figure is missing */
const figuresIn = (document: string): Figures => {
  const section = (name: string) => sectionOf(document, name);
  const names = ["scale", "capacity", "warm", "cold", "login"];
  const scale = rowsIn(document, "scale", ["shards", "operation", "read", "write"]);
  const capacity = rowsIn(document, "capacity", ["operation", "at 1,000"]);
  const ours = (name: string, subject: string, columns: readonly string[]): Row | undefined =>
    rowsIn(document, name, ["subject", ...columns]).find((row) => row.subject === subject);
  const [player, hunt] = ["GET /player, CPU µs", "hunt, CPU µs"];
  const warm = ours("warm", "ours", [player, hunt]);
  const [login, cold] = ["CPU ms each", "CPU of both, ms"];
  const shards = [...new Set(scale.map((row) => numberIn(row, "shards")))].toSorted((a, b) => a - b);
  return {
    at: Object.fromEntries(names.map((name) => [name, dateOf(section(name), name)])),
    shards,
    units: (operation, of) => {
      const recorded = scale.find((row) => row.operation === operation && row.shards === String(of));
      if (recorded !== undefined)
        return { read: numberIn(recorded, "read"), write: numberIn(recorded, "write") };
      const [read = "", write = ""] =
        capacity.find((row) => row.operation === operation)?.["at 1,000"]?.split(" / ") ?? [];
      return {
        read: numberIn({ [operation]: read }, operation),
        write: numberIn({ [operation]: write }, operation),
      };
    },
    cpu: {
      player: numberIn(warm, player) / 1_000,
      hunt: numberIn(warm, hunt) / 1_000,
      login: numberIn(ours("login", "POST /login", [login]), login),
      cold: numberIn(ours("cold", "ours", [cold]), cold),
    },
  };
};

/** Reads the results of the last benchmarks. @throws UserError if one is missing */
export const readFigures = async (): Promise<Figures> =>
  figuresIn(await readFile(join(ROOT, DOCUMENT), "utf8"));
