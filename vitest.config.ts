import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const quiet = {
  LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
};

/** At full figures a test takes as long as it takes; otherwise one that has not ended by then never does. */
const HOURS = 4 * 60 * 60_000;
const within = (milliseconds: number): number =>
  process.env.TEST_SCALE === "battery" ? HOURS : milliseconds;

/** Those that start services of their own, on ports and files of their own: they stand in nobody's way. */
const OF_THEIR_OWN = [
  "commands",
  "dev",
  "newFunction",
  "queue",
  "readme",
  "restart",
  "rotate",
  "doctor",
  "logs",
].map((name) => `tests/http/${name}.test.ts`);

/** Through `npm start`: one service with one table, so one file at a time. */
const OVER_HTTP = ["access", "gateway", "scenarios"].map((name) => `tests/http/${name}.test.ts`);

/** What these ask of AWS is written down, and held against the roles of the functions in the end. */
const RECORDED = {
  globalSetup: ["tests/support/callsSetup.ts"],
  setupFiles: ["tests/support/recordCalls.ts"],
};

/** What takes a quarter of a minute and more begins first, the longest before all, so that nobody waits for it in the end. */
const LONGEST = [
  ...["http/scenarios", "battery/races", "battery/model", "http/commands", "battery/faults"],
  ...["behaviour/pushLoad", "behaviour/bulk", "battery/time", "battery/fuzz"],
  ...["http/restart", "http/newFunction", "http/queue", "http/dev"],
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

// Without isolation, files share what they import: it is loaded once, not once for each of them.
export default defineConfig({
  test: {
    // For two cores: much of what the faults do is waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
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
          ...RECORDED,
          env: quiet,
          isolate: false,
          testTimeout: within(120_000),
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "contract",
          include: ["tests/contract/**/*.test.ts"],
          ...RECORDED,
          env: quiet,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Random and exhaustive: a fiftieth here, everything in `npm run test:battery`.
          name: "battery",
          include: ["tests/battery/**/*.test.ts"],
          env: quiet,
          // Each as soon as there is room for it: they take minutes, and would wait for each other in one process.
          isolate: true,
          testTimeout: HOURS,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "start",
          include: OF_THEIR_OWN,
          env: quiet,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Push alone, in a Firefox of its own: one file at a time.
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          env: quiet,
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // What only HTTP can show, through serverless offline.
          name: "http",
          include: OVER_HTTP,
          env: { ...quiet, TRANSPORT: "http" },
          fileParallelism: false,
          globalSetup: ["tests/support/httpSetup.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // What would be deployed; after all others, whose calls the roles are held against.
          name: "deployment",
          include: ["tests/deployment/**/*.test.ts"],
          env: quiet,
          globalSetup: ["tests/deployment/setup.ts"],
          setupFiles: ["tests/deployment/untilPackaged.ts"],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
