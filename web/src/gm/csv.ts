/** Comma-separated values, as spreadsheets write and read them (RFC 4180). */

/** A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
const cellOf = (value: string): string => {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** @param rows the first has the names of the columns */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

/** @param text with commas, or as some spreadsheets write it, semicolons or tabs */
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

/** Lets the browser save a text as a file. */
export const saveFile = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
};
