/** Runs the tests on an engine with vitest, and reports results. */
import { join } from "node:path";
import { runInterruptible } from "../cli/interruptible.ts";
import { UserError } from "../cli/userError.ts";
import { disagreements, failures, type Results, readResults, summarize } from "./results.ts";

/** Tests that do not run on the emulator, and why. */
const NOT_RUN: [what: string, why: string][] = [
  ["tests/unit", "need no database, except streamSource, which tests the embedded engine's stream records"],
  [
    "tests/http",
    "test npm start with the engine's file: restarts, kill -9, the queue, and pages in browsers",
  ],
];

/** Timeouts that stop only tests that hang. A timeout in a test itself takes precedence. */
const TIMEOUTS = ["--testTimeout=14400000", "--hookTimeout=300000"];

/** The tests that run on both engines. */
export const PROJECTS = ["service", "battery", "mocks"].flatMap((project) => ["--project", project]);

/** The tests of the packages under AWS's runtime loop. */
export const PACKAGES = ["--project", "packages"];

/**
 * The share of the tests that `.ci/run` runs on AWS's emulator alone, because `npm test` has run them on the embedded
 * engine: each example of the API document, every list of every index, PartiQL, the stream, transactions and their
 * conflicts.
 */
export const SHARE = [
  "tests/behaviour/checkpoint",
  "tests/behaviour/database",
  "tests/behaviour/history",
  "tests/behaviour/injectSql",
  "tests/behaviour/stream",
  "tests/behaviour/tags",
  "tests/contract/openapi",
].map((name) => `${name}.test.ts`);

/**
 * Runs tests on an engine.
 * @param engine its name, for the output
 * @param folder where the report of vitest is written
 * @param tests vitest's arguments: its configuration, projects and files
 * @throws UserError if they did not finish
 */
export const runOn = async (
  engine: string,
  folder: string,
  tests: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Results> => {
  const output = join(folder, `${engine.replaceAll(/\W+/g, "-")}.json`);
  console.log(`\n== On ${engine}`);
  const end = await runInterruptible(
    [
      ...[process.execPath, "node_modules/vitest/vitest.mjs", "run", ...TIMEOUTS],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
      ...tests,
    ],
    { env, onLine: (line) => console.log(line) },
  );
  try {
    return await readResults(output, end === "exit code 0");
  } catch {
    throw new UserError(`The tests did not finish on ${engine}: ${end}.`);
  }
};

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log([`\n${title}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
};

/**
 * Prints the results of one run.
 * @param files files that must have run
 * @returns whether all tests passed, except those that were skipped
 */
export const reportOne = (where: string, results: Results, files: readonly string[] = []): boolean => {
  console.log(`\n${where}, ${summarize(results)}.`);
  const tests = [...results.keys()];
  const absent = files.filter((file) => !tests.some((test) => test.startsWith(file)));
  list("Failed", failures(results));
  list("Not run, because there is no such file", absent);
  return failures(results).length === 0 && absent.length === 0 && results.size > 0;
};

/** Prints the results of both engines. @returns whether they agree and no test failed */
export const reportBoth = (embedded: Results, emulator: Results): boolean => {
  console.log(`\nOn the embedded engine, ${summarize(embedded)}.`);
  console.log(`On AWS's emulator,      ${summarize(emulator)}.`);
  const differ = disagreements(embedded, emulator);
  list(
    "Failed on both",
    failures(embedded).filter((test) => emulator.get(test) === "failed"),
  );
  list(
    "Different results",
    differ.map(({ test, embedded: here = "not run", emulator: there = "not run" }) => {
      return `${test}: ${here} on the embedded engine, ${there} on AWS's emulator`;
    }),
  );
  list(
    "Not run on the emulator",
    NOT_RUN.map(([what, why]) => `${what}: ${why}`),
  );
  const skipped = [...emulator].flatMap(([test, verdict]) => (verdict === "skipped" ? [test] : []));
  list(
    "Skipped on both",
    skipped.filter((test) => embedded.get(test) === "skipped"),
  );
  const isClean = differ.length === 0 && failures(emulator).length === 0 && emulator.size > 0;
  console.log(isClean ? "\nThe results agree." : "\nThe results DIFFER, or tests failed.");
  return isClean;
};
