/** A temporary directory for the tests of a file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Creates a directory before the tests and removes it after them. @returns the path of a file in it */
export const useTempDir = (): ((name: string) => string) => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tests-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  return (name) => join(folder, name);
};
