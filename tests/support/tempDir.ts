/** A temporary directory for the tests of a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates a directory and removes it after the tests. @returns the path of a file in it */
export const useTempDir = (): ((name: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return (name) => join(folder, name);
};
