/**
 * All tests: those in process and a few over HTTP (`npm test`), and with TESTS=e2e those of pages, commands and deployments
 * (`npm run test:e2e`) and of the API document (`npm run test:api`). Both have one configuration, because the transformed
 * modules on the disk are those of a configuration.
 */
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node";

const quiet = {
  LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
};

/** The timeout of tests that run for hours at full scale (`npm run test:battery`). */
const FULL_SCALE_TIMEOUT = 4 * 60 * 60_000;
/** Returns a timeout in milliseconds, or the one for full scale. */
const timeoutOf = (milliseconds: number): number =>
  process.env.TEST_SCALE === "battery" ? FULL_SCALE_TIMEOUT : milliseconds;

/** Tests of a running service, without a browser. Each file claims a service for itself (tests/support/running.ts). */
const HTTP_TESTS = ["client", "gateway"].map((name) => `tests/http/${name}.test.ts`);

/** Left out by `npm run test:quick`: what takes seconds, and few changes concern. */
const SLOW_TESTS =
  process.env.TEST_SCALE === "quick"
    ? [
        "tests/unit/{alias,architecture,decodeInChild,gameFiles,localWorkers,namesBefore,parsers,platforms,standIns,watch}.test.ts",
        "tests/behaviour/{archive,bulk,database,pictures,recount,reset,returning,versions}.test.ts",
        "tests/behaviour/{confirmedIdentity,delivery,history,invitations,largeTree,mail*,reading,statistics}.test.ts",
      ]
    : [];

/** Tests that replace modules of the service, and so share none with others. */
const WITH_MOCKS = ["tests/battery/visibility.test.ts"];

/** Records the calls to AWS. The deployment tests compare them with the roles of the functions. */
const RECORD_CALLS = {
  globalSetup: ["tests/support/callsSetup.ts"],
  setupFiles: ["tests/support/recordCalls.ts"],
};

/** Tests of the packages or the template, which are built while other tests run. */
const PACKAGED = {
  env: quiet,
  isolate: false,
  globalSetup: ["tests/deployment/setup.ts"],
  setupFiles: ["tests/deployment/untilPackaged.ts"],
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

/** For tests that run commands, some of which take seconds, and minutes on a busy machine. */
const COMMAND_TIMEOUTS = { testTimeout: 600_000, hookTimeout: 200_000 };

/** Tests over HTTP that claim a running service. */
const OVER_HTTP = {
  env: { ...quiet, TRANSPORT: "http" },
  globalSetup: ["tests/support/httpSetup.ts"],
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

/** Runs these files first, in this order, so that none of them runs alone at the end. */
export const longestFirst = (names: readonly string[]) => {
  const rank = ({ moduleId }: TestSpecification): number => {
    const at = names.findIndex((name) => moduleId.includes(`/tests/${name}`));
    return at < 0 ? names.length : at;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
    }
  };
};

// Without isolation, the files of a worker share their imports, which are then loaded only once. A worker is kept only for a
// next file of the same project.

const NPM_TEST: ViteUserConfig["test"] = {
  // Files of `service` are not among them, because they share a worker's imports only with a file of their own project that
  // runs next.
  sequence: {
    sequencer: longestFirst(["battery/races", "battery/fuzz", "battery/faults", "battery/access"]),
  },
  projects: [
    {
      test: {
        name: "unit",
        include: ["tests/unit/**/*.test.ts"],
        exclude: SLOW_TESTS,
        env: quiet,
        isolate: false,
        testTimeout: 60_000,
      },
    },
    {
      test: {
        // What the service does, and its contract. They are one project, so that a worker keeps its imports for both.
        name: "service",
        include: ["behaviour", "contract"].map((name) => `tests/${name}/**/*.test.ts`),
        exclude: SLOW_TESTS,
        ...RECORD_CALLS,
        env: quiet,
        isolate: false,
        testTimeout: timeoutOf(120_000),
        hookTimeout: 60_000,
      },
    },
    {
      test: {
        // Random and exhaustive tests, at a three-hundredth of the scale of `npm run test:battery`.
        name: "battery",
        include: ["tests/battery/**/*.test.ts"],
        exclude: WITH_MOCKS,
        env: quiet,
        isolate: false,
        testTimeout: FULL_SCALE_TIMEOUT,
        hookTimeout: 60_000,
      },
    },
    {
      test: {
        name: "mocks",
        include: WITH_MOCKS,
        env: quiet,
        testTimeout: FULL_SCALE_TIMEOUT,
        hookTimeout: 60_000,
      },
    },
    { test: { ...OVER_HTTP, name: "http", include: HTTP_TESTS } },
    {
      test: {
        ...PACKAGED,
        // Runs last, because it compares what the other tests have recorded with what is declared.
        name: "roles",
        include: ["roles", "template", "monitoring", "validation", "alarms"].map(
          (name) => `tests/deployment/${name}.test.ts`,
        ),
        sequence: { groupOrder: 1 },
      },
    },
  ],
};

const E2E: ViteUserConfig["test"] = {
  // About the longest first. The files of a project follow each other, because a worker keeps its imports, service and
  // browsers only for a next file of the same project; `http/web` and `http/` stand for the rest.
  sequence: {
    sequencer: longestFirst(
      (
        "deployment/deploy http/readme http/webTyping http/webArrivals http/webEngines http/webGm http/webApp " +
        "http/webNetworks http/webEveryPage http/webWeek http/webFiles http/webNames http/webDevice http/webMoments " +
        "http/webErrors http/webForms http/webDrafts http/webFirefox http/webPlaces http/webUpdate http/web " +
        "http/demo http/commands http/doctor http/ deployment/bundles"
      ).split(" "),
    ),
  },
  projects: [
    {
      test: {
        ...OVER_HTTP,
        // Players and game masters in Chromium, Firefox and WebKit, with the real service behind the pages.
        name: "web",
        include: ["tests/http/web*.test.ts"],
        // A driver of a browser can lose a click between two steps of a test. A test that fails twice fails, and the
        // report names each that was repeated.
        retry: process.env.CI === undefined ? 0 : 1,
        // The files of a worker share the browsers and the service, too.
        isolate: false,
      },
    },
    {
      test: {
        // Commands and start-ups. Each file has its own ports and files.
        name: "start",
        include: [
          ...["commands", "demo", "dev", "doctor", "localService", "logs"],
          ...["queue", "readme", "rotate"],
        ].map((name) => `tests/http/${name}.test.ts`),
        env: quiet,
        isolate: false,
        ...COMMAND_TIMEOUTS,
      },
    },
    {
      test: {
        ...PACKAGED,
        ...COMMAND_TIMEOUTS,
        // All of these wait for the packages, because the framework builds everything in one folder.
        name: "deployment",
        include: ["bundles", "deploy", "fetched", "teardown"].map(
          (name) => `tests/deployment/${name}.test.ts`,
        ),
      },
    },
    {
      test: {
        ...OVER_HTTP,
        // Independent tools check the API document against the running service: npm run test:api.
        name: "api",
        include: ["tests/api/*.test.ts"],
      },
    },
    {
      test: {
        ...OVER_HTTP,
        // The packages under AWS's own runtime loop, on AWS's emulator: npm run test:emulator.
        name: "packages",
        globalSetup: ["tests/emulator/setup.ts"],
        include: ["tests/emulator/*.test.ts"],
        testTimeout: 600_000,
      },
    },
  ],
};

/** Prints why a test had to be repeated; the usual report only says that it was. */
const repeated: Reporter = {
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state !== "passed") return;
    for (const { message } of errors ?? []) console.log(`Repeated: ${test.fullName}: ${message}`);
  },
};

export default defineConfig({
  test: {
    // More workers than two cores, because some tests mostly wait.
    maxWorkers: 3,
    reporters: ["default", repeated],
    // Modules that were transformed once, by any project and run, are read from the disk.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest" },
    ...(process.env.TESTS === "e2e" ? E2E : NPM_TEST),
  },
});
