/** Runs the Serverless Framework as a child process. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { UserError } from "../cli/userError.ts";
import { acquireGameLock } from "../local/gameLock.ts";
import { ROOT } from "../project/root.ts";
import type { Stage } from "./stage.ts";

const SERVERLESS = join(ROOT, "node_modules/serverless/bin/serverless.js");

/** The folder that the framework packages into. */
export const PACKAGE = join(ROOT, ".serverless");

/**
 * Runs a function while no other process packages from this folder, because all packages are built in the same place.
 * @throws UserError
 */
export const withPackagingLock = async <T>(work: () => Promise<T>): Promise<T> => {
  const lock = acquireGameLock({ lock: join(ROOT, ".local/packaging.lock") });
  if (lock === null) {
    throw new UserError("Another deploy is running from this folder. Wait until it has finished.");
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
};

export interface FrameworkResult {
  code: number;
  isInterrupted: boolean;
}

/**
 * Runs a command of the framework for a stage. Its output goes to this process's output.
 * @param variables additional environment variables
 */
export const runFramework = async (
  command: string[],
  { stage, region }: Stage,
  variables: Record<string, string> = {},
): Promise<FrameworkResult> => {
  const child = spawn(
    process.execPath,
    [SERVERLESS, ...command, "--stage", stage, "--region", region],
    // Disables update checks and usage reports.
    { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...variables, SLS_NOTIFICATIONS_MODE: "off" } },
  );
  let isInterrupted = false;
  // A terminal signals both processes. The framework must end first, so that it does not continue unnoticed.
  const interrupt = (): void => {
    isInterrupted = true;
    child.kill("SIGINT");
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    return { code, isInterrupted };
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
};
