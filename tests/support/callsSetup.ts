/** Prepares the folder of a run's recorded calls, and removes those of runs that have ended. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { isAlive } from "../../scripts/local/isAlive.ts";
import { CALLS, folderOf } from "./calls.ts";

export default (project: TestProject): void => {
  // A run of only the tests with some name records too little, so no file counts as complete.
  const run = project.vitest.config.testNamePattern === undefined ? process.pid : 0;
  project.provide("run", run);
  // Each recorded project runs this; the first one prepares the folder.
  if (existsSync(folderOf(run))) return;
  mkdirSync(folderOf(run), { recursive: true });
  const ended = readdirSync(CALLS)
    .map(Number)
    .filter((other) => other !== 0 && !isAlive(other));
  for (const other of ended) rmSync(folderOf(other), { recursive: true, force: true });
};
