/** Temporary directories. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

const makeDir = (after: (remove: () => void) => void): string => {
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Creates a directory and removes it after the tests of the file. @returns the path of a file in it */
export const useTempDir = (): ((name: string) => string) => {
  const folder = makeDir(afterAll);
  return (name) => join(folder, name);
};

/** Creates a directory and removes it after the test. */
export const tempDirOfTest = (): string => makeDir(onTestFinished);
