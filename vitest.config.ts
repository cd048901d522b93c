import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const quiet = {
  LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
};

/** The timeout of tests that run for hours at full scale (`npm run test:battery`). */
const FULL_SCALE_TIMEOUT = 4 * 60 * 60_000;
/** Returns a timeout in milliseconds, or the one for full scale. */
const timeoutOf = (milliseconds: number): number =>
  process.env.TEST_SCALE === "battery" ? FULL_SCALE_TIMEOUT : milliseconds;

/** Tests that start their own services, each with its own ports and files. They can run concurrently. */
const COMMAND_TESTS = [
  "commands",
  "demo",
  "dev",
  "newFunction",
  "queue",
  "readme",
  "restart",
  "rotate",
  "doctor",
  "logs",
].map((name) => `tests/http/${name}.test.ts`);

/** Tests of a running service. Each file claims one for itself (tests/support/running.ts). */
const HTTP_TESTS = [
  "client",
  "gateway",
  "scenarios",
  "webApp",
  "webFirefox",
  "webGm",
  "webOutbreak",
  "webSeason",
  "webUpdate",
  "webWeek",
].map((name) => `tests/http/${name}.test.ts`);

/** Records the calls to AWS. The deployment tests compare them with the roles of the functions. */
const RECORD_CALLS = {
  globalSetup: ["tests/support/callsSetup.ts"],
  setupFiles: ["tests/support/recordCalls.ts"],
};

/** Tests of the packages and the template, which are built while other tests run. */
const PACKAGED = {
  env: quiet,
  isolate: false,
  globalSetup: ["tests/deployment/setup.ts"],
  setupFiles: ["tests/deployment/untilPackaged.ts"],
  testTimeout: 120_000,
  hookTimeout: 60_000,
};
/** Compare what the other tests have recorded with what is declared. */
const RECORDED = ["roles", "responses"].map((name) => `tests/deployment/${name}.test.ts`);

/**
 * Files that take at least eight seconds, about the longest first. They start first, so that none of them runs alone at
 * the end. Files of `behaviour` and `contract` are not among them, because they share a worker's imports only with a file
 * of their own project that runs next.
 */
const LONGEST = [
  ...["http/webWeek", "http/webApp", "http/newFunction", "http/webGm", "http/commands", "http/webOutbreak"],
  "browser/",
  ...[
    "deployment/deploy",
    "http/doctor",
    "deployment/teardown",
    "deployment/bundles",
    "http/dev",
    "http/demo",
  ],
  ...["http/scenarios", "battery/races", "http/queue", "http/restart", "http/webFirefox", "http/rotate"],
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.includes(`/tests/${name}`));
  return at < 0 ? LONGEST.length : at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

// Without isolation, the files of a worker share their imports, which are then loaded only once.
export default defineConfig({
  test: {
    // More workers than two cores, because the fault tests mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Modules that were transformed once, by any project and run, are read from the disk.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest" },
    projects: [
      {
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          env: quiet,
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "behaviour",
          include: ["tests/behaviour/**/*.test.ts"],
          ...RECORD_CALLS,
          env: quiet,
          isolate: false,
          testTimeout: timeoutOf(120_000),
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "contract",
          include: ["tests/contract/**/*.test.ts"],
          ...RECORD_CALLS,
          env: quiet,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Random and exhaustive tests, at a three-hundredth of the scale of `npm run test:battery`.
          name: "battery",
          include: ["tests/battery/**/*.test.ts"],
          env: quiet,
          // The files take minutes. With isolation, each starts as soon as a worker is free.
          isolate: true,
          testTimeout: FULL_SCALE_TIMEOUT,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "start",
          include: COMMAND_TESTS,
          env: quiet,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Independent tools check the API document against the running service: npm run test:api.
          name: "api",
          include: ["tests/api/*.test.ts"],
          env: { ...quiet, TRANSPORT: "http" },
          globalSetup: ["tests/support/httpSetup.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Tests that start Firefox.
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          env: quiet,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // Behaviour of the complete service over HTTP, with serverless-offline.
          name: "http",
          include: HTTP_TESTS,
          env: { ...quiet, TRANSPORT: "http" },
          globalSetup: ["tests/support/httpSetup.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...PACKAGED,
          name: "deployment",
          include: ["tests/deployment/**/*.test.ts"],
          exclude: RECORDED,
        },
      },
      {
        test: {
          ...PACKAGED,
          // Runs last, because it reads what all other tests have recorded.
          name: "roles",
          include: RECORDED,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
