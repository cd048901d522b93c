/**
 * The configuration that Stryker runs Vitest with: the files named in MUTANT_TESTS, in this order, so that most mutants
 * fail in the fastest. Each file is isolated, because a mutant may change what a module computes on load.
 */
import { defineConfig } from "vitest/config";
import { longestFirst } from "../../vitest.config.ts";

const FILES = (process.env.MUTANT_TESTS ?? "").split(",");

export default defineConfig({
  test: {
    include: FILES,
    setupFiles: ["tests/mutants/setup.ts"],
    // Long lists are tested whole and random ones with the same seed, so that each run kills the same mutants.
    env: {
      LOG_LEVEL: "SILENT",
      POWERTOOLS_METRICS_DISABLED: "true",
      TEST_SCALE: "whole",
      BATTERY_SEED: "1",
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: longestFirst(FILES.map((file) => file.replace(/^tests\//, ""))) },
  },
});
