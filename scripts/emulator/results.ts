/** Test results on both engines, and the tests whose results differ. */
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import * as z from "zod/mini";
import { ROOT } from "../project/root.ts";

/** The parts of vitest's JSON report that are used here. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

export type Verdict = "passed" | "failed" | "skipped";

/** The result of each test by its file, groups and title. */
export type Results = ReadonlyMap<string, Verdict>;

export const failures = (results: Results): string[] =>
  [...results].flatMap(([test, verdict]) => (verdict === "failed" ? [test] : []));

const verdictOf = (status: string): Verdict =>
  status === "passed" || status === "failed" ? status : "skipped";

/**
 * Reads the report of a run. A failure outside the tests (in a file, in a hook, or by an unhandled error) counts as a
 * failed test.
 * @param succeeded whether vitest ended with exit code 0
 */
export const readResults = async (file: string, succeeded: boolean): Promise<Results> => {
  const report = Report.parse(JSON.parse(await readFile(file, "utf8")));
  const results = new Map<string, Verdict>();
  // Titles may occur more than once.
  const add = (name: string, verdict: Verdict): void => {
    let own = name;
    for (let n = 2; results.has(own); n += 1) own = `${name} (${n})`;
    results.set(own, verdict);
  };
  for (const { name, status, assertionResults } of report.testResults) {
    const path = relative(ROOT, name);
    for (const { ancestorTitles, title, status: is } of assertionResults) {
      add([path, ...ancestorTitles, title].join(" > "), verdictOf(is));
    }
    if (status === "failed" && !assertionResults.some((one) => one.status === "failed")) add(path, "failed");
  }
  if (!succeeded && failures(results).length === 0) results.set("an error outside the tests", "failed");
  return results;
};

const count = (results: Results, verdict: Verdict): number =>
  [...results.values()].filter((one) => one === verdict).length;

/** Formats the results of a run in one line. */
export const summarize = (results: Results): string =>
  `${results.size.toLocaleString("en")} tests: ${count(results, "passed").toLocaleString("en")} passed, ` +
  `${count(results, "failed")} failed, ${count(results, "skipped")} skipped`;

/** A test with different results; `undefined` if it did not run on an engine. */
export interface Disagreement {
  test: string;
  embedded: Verdict | undefined;
  emulator: Verdict | undefined;
}

export const disagreements = (embedded: Results, emulator: Results): Disagreement[] =>
  [...new Set([...embedded.keys(), ...emulator.keys()])]
    .map((test) => ({ test, embedded: embedded.get(test), emulator: emulator.get(test) }))
    .filter((one) => one.embedded !== one.emulator);
