/** Figures in the documentation are those of the recorded benchmarks and of the cost estimate: `npm run figures`. */
import { describe, expect, it } from "vitest";
import { section, sentence } from "../../scripts/figures/derive.ts";
import { derivedDocuments } from "../../scripts/figures/documents.ts";
import { numberIn, readResult, tableOf } from "../../scripts/figures/results.ts";
import { cellsOf } from "../../scripts/figures/tables.ts";

const documents = await derivedDocuments();

it("every document has its measured figures and costs: npm run figures writes them", () => {
  const names = documents.map(({ file }) => file);
  expect(names).toEqual(expect.arrayContaining(["docs/performance.md", "docs/operations.md", "README.md"]));
  expect(documents.flatMap(({ changes }) => changes)).toEqual([]);
});

describe("a derivation", () => {
  const draft = (text: string) => ({ file: "docs/page.md", text, changes: ["before"] });
  const FIGURES = new Map([
    ["a week", "1,234.50"],
    ["the day", "2026-11-21"],
  ]);
  const costs = sentence("A week costs {a week} dollars (prices of {the day}).", FIGURES);

  it("names each wrong number of a sentence, and writes it where the sentence is wrapped", () => {
    const text = "Here. A week costs 9.00\ndollars (prices of 2025-01-01). There: 9.00";
    const changes = [
      "docs/page.md: a week is 1,234.50, not 9.00",
      "docs/page.md: the day is 2026-11-21, not 2025-01-01",
    ];
    expect(costs(draft(text))).toMatchObject({
      text: "Here. A week costs 1,234.50\ndollars (prices of 2026-11-21). There: 9.00",
      changes: ["before", ...changes],
    });
    expect(costs(costs(draft(text)))).toMatchObject({ changes: { length: 3 } });
  });

  it("fails if the sentence or the section has gone", () => {
    expect(() => costs(draft("A week is cheap."))).toThrow('docs/page.md has no sentence "A week costs');
    expect(() => section("costs", "")(draft("costs"))).toThrow("docs/page.md has no section costs.");
  });
});

it("a recorded result has numbers, and its tables show them", async () => {
  await expect(readResult("nothing")).rejects.toThrow(/nothing\.json is missing/);
  const capacity = await readResult("capacity");
  expect(() => tableOf("capacity", capacity, ["at 7"])).toThrow(/has no table of at 7/);
  const [row] = tableOf("capacity", capacity, ["at 1,000"]);
  expect(() => numberIn("capacity", row, "operation")).toThrow(/npm run bench -- capacity --write$/);
  const spread = { median: 34.5, least: 32.48, most: 34.9, digits: 2 };
  expect(numberIn("login", { ms: spread }, "ms")).toBe(34.5);
  const rows = [{ part: "login", ms: spread }, { units: { read: 2.5, write: 6 } }];
  expect(cellsOf(rows)).toEqual([
    ["part", "ms", "units"],
    ["login", "34.50 (32.48 to 34.90)", ""],
    ["", "", "2.5 / 6"],
  ]);
});
