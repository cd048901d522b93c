/** CSV files of the web app, as other programs read them. */
import { CsvError, parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCsv, toCsv } from "../../web/src/staff/ui/csv.ts";

const readCells = (text: string): string[][] => fromCsv(text).rows.map(({ cells }) => cells);

const HEADER = ["alias", "note", "more"];
const SEPARATORS = [",", ";", "\t"];

/**
 * The cells of a file in a program that splits at a separator. Such programs differ in which quotes they understand; at
 * another separator than the file's own, also those that understand none are tried.
 */
const cellsOf = (text: string, delimiter: string): string[] => {
  const options = {
    bom: true,
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  };
  const record_delimiter = ["\r\n", "\n", "\r"];
  const quotes = delimiter === "," ? ['"' as const] : ['"' as const, false as const];
  return quotes.flatMap((quote) => {
    try {
      return parse(text, { ...options, quote, record_delimiter }).flat();
    } catch (error) {
      // At another separator than the file's own, quotes need not be in pairs.
      if (delimiter !== "," && error instanceof CsvError && /QUOTE/.test(error.code)) return [];
      throw error;
    }
  });
};

/** Programs ignore blanks and quotes in front of a formula. */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

const dangerous = fc.stringMatching(/^[=+\-@＝;,\t\r\n"' x]{0,12}$/);
const tables = fc.array(fc.tuple(fc.constant("Ada"), dangerous, dangerous), { minLength: 1, maxLength: 4 });

describe("a file that the web app writes", () => {
  it("has no cell that begins a formula, wherever it is split, and is imported as it was", () => {
    fc.assert(
      fc.property(tables, (rows) => {
        const text = toCsv([HEADER, ...rows]);
        for (const separator of SEPARATORS)
          expect(
            cellsOf(text, separator).filter((one) => FORMULA.test(one)),
            separator,
          ).toEqual([]);
        expect(readCells(text)).toEqual([HEADER, ...rows]);
        // Another program reads the same number of cells, at the file's own separator.
        expect(parse(text, { bom: true, record_delimiter: "\r\n" }).map((row) => row.length)).toEqual(
          [HEADER, ...rows].map(({ length }) => length),
        );
      }),
      { numRuns: 500, examples: [[[["Ada", "＝x;=", 'x\r\n"-x']]], [[["Ada", "\t=x", "x;'="]]]] },
    );
  });

  it("has no cell that begins with a tab or the end of a line", () => {
    expect(toCsv([["\ttab", "\rline"]])).not.toMatch(/(^|,|\n)"?[\t\r]/);
  });

  it("leaves ordinary texts alone", () => {
    const names = ["O'Brien", "Smith-Jones", "a@b.example", "1+1=2", "'quoted'", "x - y", "a, -b"];
    expect(parse(toCsv([names]), { bom: true })).toEqual([names]);
  });
});

it("a file of another program is read at its separator, with its quotes", () => {
  for (const separator of SEPARATORS) {
    const text = `\uFEFFalias${separator}note\n"Ada ""the"" ${separator}First"${separator}'=x\n\n`;
    expect(readCells(text)).toEqual([
      ["alias", "note"],
      [`Ada "the" ${separator}First`, "=x"],
    ]);
  }
});
