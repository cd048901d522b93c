/** Removes the recorded calls of earlier runs. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { CALLS, RUN, Run } from "./calls.ts";

/** Whether this very run has begun already: each project that is recorded begins it. */
const hasBegun = async (): Promise<boolean> => {
  try {
    return Run.parse(JSON.parse(await readFile(RUN, "utf8"))).pid === process.pid;
  } catch {
    return false;
  }
};

export default async (project: TestProject): Promise<void> => {
  if (await hasBegun()) return;
  await rm(CALLS, { recursive: true, force: true });
  await mkdir(CALLS, { recursive: true });
  const filter = project.vitest.config.testNamePattern?.source ?? null;
  await writeFile(RUN, JSON.stringify({ pid: process.pid, filter }));
};
