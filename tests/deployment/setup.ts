/** Packages the service twice, as a deployer would who has no account: for tests, and for a game that is to be kept. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { messageOf } from "../../scripts/cli/userError.ts";
import { ROOT } from "../support/endpoints.ts";
import { tell } from "./told.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folders with what is packaged: for the stage `test-packages`, and for `spring`, whose statements may write. */
    packages: { forTests: string; kept: string };
    /** The file in which it is told what came of it. */
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

/** Packages the service into folders that are called as their stages. */
const packageBoth = async (
  { forTests, kept }: ProvidedContext["packages"],
  signal: AbortSignal,
): Promise<void> => {
  const packaged = async (folder: string, more: Record<string, string> = {}): Promise<void> => {
    const args = [SERVERLESS, "package", "--stage", basename(folder), "--package", folder];
    // The framework prints its error to stdout, which the message of execFile's error leaves out.
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: env(more), signal }).catch(
      (error: { stdout?: string }) => {
        throw new Error(`${messageOf(error)}\n${error.stdout ?? ""}`);
      },
    );
  };
  // One after the other: the framework puts together what it packages in one folder.
  await packaged(forTests);
  await packaged(kept, {
    ZIPS_OF: forTests,
    INJECT_SQL_WRITES: "true",
    ALLOWED_ORIGINS: "https://hvz.example",
    ALARM_EMAIL: "gm@hvz.example",
    BUDGET_USD: "20",
    DOMAIN: "api.hvz.example",
    CERTIFICATE_ARN: "arn:aws:acm:eu-central-1:123456789012:certificate/1-2",
    REQUESTS_PER_SECOND: "300",
    REQUESTS_BURST: "600",
  });
};

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const scratch = await makeTempDir();
  const packages = { forTests: join(scratch, "test-packages"), kept: join(scratch, "spring") };
  const told = join(scratch, "told.json");
  const ending = new AbortController();
  // Nobody waits for it but this project's own tests, which come last: all others run meanwhile.
  const packaging = packageBoth(packages, ending.signal).then(
    () => tell(told, { fault: null }),
    (error: unknown) => tell(told, { fault: messageOf(error) }),
  );
  project.provide("run", process.pid);
  project.provide("packages", packages);
  project.provide("packaging", told);
  return async () => {
    ending.abort();
    await packaging;
    await rm(scratch, { recursive: true, force: true });
  };
};
