/**
 * What Stryker runs: the tests that can tell a broken rule, named in MUTANT_TESTS and run in this order, so that most
 * mutants meet their end in the quickest. Each file by itself, because a mutant may change what is made on import.
 */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const FILES = (process.env.MUTANT_TESTS ?? "").split(",");

const place = ({ moduleId }: TestSpecification): number =>
  FILES.findIndex((file) => moduleId.endsWith(`/${file}`));

class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: FILES,
    setupFiles: ["tests/mutants/setup.ts"],
    env: { LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true" },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: AsNamed },
  },
});
