/** Tables for people to read. */

/** The lines of a table, with aligned columns. The last columns are numbers, and aligned to the right. */
export const alignColumns = (rows: readonly (readonly string[])[], numbers = 0): string[] => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const isNumber = (at: number): boolean => at >= widths.length - numbers;
  return rows.map((row) =>
    row
      .map((cell, at) => (isNumber(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
};
