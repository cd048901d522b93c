/**
 * The configuration that Stryker runs Vitest with: the files named in MUTANT_TESTS, in this order, so that most mutants
 * fail in the fastest. Files share their imports, as in `npm test`; each mutant has a process of its own.
 */
import { defineConfig } from "vitest/config";
import { longestFirst } from "../../vitest.config.ts";

const FILES = (process.env.MUTANT_TESTS ?? "").split(",");

/** They mock modules that other tests use as they are. */
const ISOLATED = FILES.filter((file) => /\/(visibility|previews|model)\./.test(file));

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "shared", isolate: false, include: FILES, exclude: ISOLATED } },
      { extends: true, test: { name: "isolated", include: ISOLATED } },
    ],
    setupFiles: ["tests/mutants/setup.ts"],
    // Long lists are tested whole and random ones with the same seed, so that each run kills the same mutants.
    env: {
      ...{ LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true", TEST_SCALE: "whole" },
      ...{ BATTERY_SEED: "1", BATTERY_DIVISOR: "100" },
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: longestFirst(FILES.map((file) => file.replace(/^tests\//, ""))) },
  },
});
