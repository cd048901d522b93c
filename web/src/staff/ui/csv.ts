/** Reads and writes CSV files (RFC 4180). */
import Papa from "papaparse";

/**
 * What a spreadsheet may take for the beginning of a cell, and the character of a formula that follows it. Quotes do not
 * help: a spreadsheet that splits at semicolons or tabs finds the beginning of a cell within ours.
 */
const BEGINNING = /(?:^|[;\t\r\n])[;\s"']*([=+\-@＝＋－＠]?)/g;

const BLANK = /^'*[\t\r\n]/;

/** Puts an apostrophe in front of formulas and leading tabs and line breaks, which prevents CSV injection (OWASP). */
const escaped = (value: string): string => {
  const safe = value.replaceAll(BEGINNING, (start, formula: string) =>
    formula === "" ? start : `${start.slice(0, -1)}'${formula}`,
  );
  return BLANK.test(safe) ? `'${safe}` : safe;
};

/** The inverse of `escaped`. */
const unescaped = (cell: string): string =>
  (cell.startsWith("'") && BLANK.test(cell) ? cell.slice(1) : cell).replaceAll(
    BEGINNING,
    (start, formula: string) =>
      formula !== "" && start.at(-2) === "'" ? `${start.slice(0, -2)}${formula}` : start,
  );

const cellOf = (value: string): string => {
  const safe = escaped(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Excel takes a CSV file for UTF-8 only if it begins with this. */
const BYTE_ORDER_MARK = "\ufeff";

/** @param rows the header row first */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

export interface CsvRow {
  /** The number that a spreadsheet shows for the row: a row with line breaks in its cells is one, and empty rows count. */
  number: number;
  cells: string[];
}

/** A quotation mark that encloses nothing. The cell is read as it is written. */
export interface StrayQuote {
  row: number;
  /** The place of the cell in its row, from 0. */
  column: number;
  cell: string;
}

export interface CsvTable {
  rows: CsvRow[];
  strayQuotes: StrayQuote[];
}

const SEPARATORS = [",", ";", "\t", "|"];

/** Lines that are looked at if the first has no separator. */
const SAMPLE_LINES = 10;

/** The separator that occurs most often in the first line, or else in the first lines, outside of quotes. */
const separatorOf = (text: string): string => {
  const [first = "", ...more] = text
    .slice(0, 10_000)
    .replaceAll(/"[^"]*"/g, "")
    .split(/[\r\n]+/, SAMPLE_LINES)
    .filter((line) => line.trim() !== "");
  const countIn = (line: string, separator: string): number => line.split(separator).length - 1;
  const isUsed = SEPARATORS.some((separator) => first.includes(separator));
  const sample = isUsed ? first : more.join("\n");
  return SEPARATORS.reduce((best, one) => (countIn(sample, one) > countIn(sample, best) ? one : best));
};

/** A line end outside of quotes, or a cell in quotes, whose line breaks stay. */
const QUOTED_OR_LINE_END = /(?<=^|[,;\t|\r\n])"(?:[^"]|"")*"|\r\n?/g;

/** Excel writes the separator into a first line of its own, and does not show that line. */
const SEPARATOR_LINE = /^sep=(.)(?:\r\n?|\n|$)/i;

/** How many stray quotes are repaired. Each takes another pass. */
const MAX_REPAIRS = 50;

/** Parses text, and takes each quotation mark that begins a cell and encloses nothing for a part of the cell. */
const parseRows = (given: string, separator: string): { rows: string[][]; strays: Set<string> } => {
  let text = given;
  const strays = new Set<string>();
  for (let repairs = 0; ; repairs += 1) {
    const { data, errors } = Papa.parse<string[]>(text, { delimiter: separator, newline: "\n" });
    const [error] = errors.filter(({ type }) => type === "Quotes");
    if (error?.index === undefined || repairs === MAX_REPAIRS) return { rows: data, strays };
    const start = error.index - 1;
    const rest = text.slice(start);
    const length = rest.search(new RegExp(`[\\n\\${separator}]`));
    const cell = length === -1 ? rest : rest.slice(0, length);
    strays.add(cell);
    text = `${text.slice(0, start)}"${cell.replaceAll('"', '""')}"${text.slice(start + cell.length)}`;
  }
};

const isStray = (cell: string): boolean => cell.split('"').length % 2 === 0;

/**
 * Parses a CSV file. Detects the separator: commas, semicolons, tabs or bars. Skips empty rows, and removes the apostrophes
 * that {@link toCsv} or a spreadsheet has put in front of formulas.
 */
export const fromCsv = (file: string): CsvTable => {
  const whole = file.replace(BYTE_ORDER_MARK, "");
  const [line = "", named] = SEPARATOR_LINE.exec(whole) ?? [];
  const text = whole
    .slice(line.length)
    .replaceAll(QUOTED_OR_LINE_END, (found) => (found.startsWith("\r") ? "\n" : found));
  const { rows: all, strays } = parseRows(text, named ?? separatorOf(text));
  const rows = all
    .map((cells, at): CsvRow => ({ number: at + 1, cells: cells.map(unescaped) }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const strayQuotes = rows.flatMap(({ number, cells }) =>
    cells.flatMap((cell, column) =>
      strays.has(cell) || isStray(cell) ? [{ row: number, column, cell }] : [],
    ),
  );
  return { rows, strayQuotes };
};
