/** Formats the tables of benchmark results, for the screen and for Markdown. */
import type { Cell, Row, Target } from "./results.ts";

const textOf = (cell: Cell | undefined): string => {
  if (typeof cell !== "object") return String(cell ?? "");
  if ("read" in cell) return `${cell.read} / ${cell.write}`;
  const { median, least, most, digits } = cell;
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
};

/** Returns all cells as text; the first row has the column names. */
export const cellsOf = (rows: readonly Row[]): string[][] => {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [heads, ...rows.map((row) => heads.map((head) => textOf(row[head])))];
};

/** Returns the rows of a table of targets. @param no what a missed target says */
export const targetRows = (targets: readonly Target[], no: string): Row[] =>
  targets.map(({ figure, measured, target, met }) => ({
    figure,
    measured: measured.toFixed(2),
    target,
    met: met ? "yes" : no,
  }));

/** Formats rows as a Markdown table. */
export const markdownOf = (rows: readonly Row[]): string => {
  const [heads = [], ...lines] = cellsOf(rows);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [heads, heads.map(() => "---"), ...lines].map(line).join("\n");
};
