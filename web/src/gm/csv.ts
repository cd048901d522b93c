/** Reads and writes CSV files (RFC 4180). */

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

/** Encodes a cell. */
const cellOf = (value: string): string => {
  const safe = escaped(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** @param rows the header row first */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

/**
 * Parses a CSV file. Detects the separator: commas, semicolons or tabs. Skips empty rows, and removes the apostrophes that
 * {@link toCsv} or a spreadsheet has put in front of formulas.
 */
export const fromCsv = (text: string): string[][] => {
  const firstLine = text.slice(0, text.indexOf("\n") + 1 || text.length);
  const separator = [",", ";", "\t"].reduce((best, one) =>
    firstLine.split(one).length > firstLine.split(best).length ? one : best,
  );
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endCell = (): void => {
    row.push(unescaped(cell));
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    if (row.some((one) => one.trim() !== "")) rows.push(row);
    row = [];
  };
  const chars = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars.charAt(at);
    if (isQuoted && char === '"' && chars.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += char;
    else if (char === separator) endCell();
    else if (char === "\n") endRow();
    else if (char !== "\r") cell += char;
  }
  endRow();
  return rows;
};
