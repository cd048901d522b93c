/** Packages the service twice, as a deployer would who has no account: for tests, and for a game that is to be kept. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { makeScratch } from "../../scripts/local/scratch.ts";
import { messageOf } from "../../scripts/local/userError.ts";
import { ROOT } from "../support/endpoints.ts";
import { type Packages, tell } from "./packages.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder in which everything is packaged: what came of it is told there. */
    packaging: string;
    /** The process of this run. */
    run: number;
  }
}

const SERVERLESS = join(ROOT, "node_modules/serverless/bin/serverless.js");

/** Nothing of this machine's own settings, and no credentials. */
const env = (more: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "",
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_CONFIG_FILE: "/dev/null",
  ...more,
});

/** Packages twice. @returns the folders: for the stage `test-packages`, and for `spring`, whose statements may write */
const packageTwice = async (scratch: string, signal: AbortSignal): Promise<Packages> => {
  const packaged = async (stage: string, more: Record<string, string> = {}): Promise<string> => {
    const folder = join(scratch, stage);
    const args = [SERVERLESS, "package", "--stage", stage, "--package", folder];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: env(more), signal });
    return folder;
  };
  // One after the other: the framework puts together what it packages in one folder.
  const forTests = await packaged("test-packages");
  const kept = await packaged("spring", {
    ZIPS_OF: forTests,
    INJECT_SQL_WRITES: "true",
    ALLOWED_ORIGINS: "https://hvz.example",
  });
  return { forTests, kept };
};

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const scratch = await makeScratch();
  const ending = new AbortController();
  // Nobody waits for it but the tests of this project, which come last: all others run meanwhile.
  const packaging = packageTwice(scratch, ending.signal).then(
    (packages) => tell(scratch, { packages }),
    (error: unknown) => tell(scratch, { fault: messageOf(error) }),
  );
  project.provide("run", process.pid);
  project.provide("packaging", scratch);
  return async () => {
    ending.abort();
    await packaging;
    await rm(scratch, { recursive: true, force: true });
  };
};
