/**
 * The configuration that Stryker runs Vitest with: the files named in MUTANT_TESTS, in this order, so that most mutants
 * fail in the fastest. Each file is isolated, because a mutant may change what a module computes on load.
 */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const FILES = (process.env.MUTANT_TESTS ?? "").split(",");

const rank = ({ moduleId }: TestSpecification): number =>
  FILES.findIndex((file) => moduleId.endsWith(`/${file}`));

class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    include: FILES,
    setupFiles: ["tests/mutants/setup.ts"],
    // Long lists are tested whole, so that each run kills the same mutants.
    env: { LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true", TEST_SCALE: "whole" },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: InGivenOrder },
  },
});
