/** Prepares the folder of a run's recorded calls, without those of earlier runs. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { CALLS, folderOf } from "./calls.ts";

export default (project: TestProject): void => {
  // What is recorded is incomplete when only tests with some name run.
  const run = project.vitest.config.testNamePattern === undefined ? process.pid : 0;
  project.provide("run", run);
  // Each project that is recorded does so.
  if (existsSync(folderOf(run))) return;
  rmSync(CALLS, { recursive: true, force: true });
  mkdirSync(folderOf(run), { recursive: true });
};
