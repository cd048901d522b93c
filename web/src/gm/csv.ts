/** Reads and writes CSV files (RFC 4180). */

/** Encodes a cell. An apostrophe in front of formula characters prevents CSV injection. */
const cellOf = (value: string): string => {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** @param rows the header row first */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

/** Parses a CSV file. Detects the separator: commas, semicolons or tabs. Skips empty rows. */
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
    row.push(cell);
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

/** Downloads a text as a CSV file. */
export const saveFile = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
};
