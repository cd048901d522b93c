/** The framework as commands run it: a process of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { UserError } from "../cli/userError.ts";
import { acquireGameLock } from "../local/gameLock.ts";
import { ROOT } from "../project/root.ts";
import type { Stage } from "./stage.ts";

const SERVERLESS = join(ROOT, "node_modules/serverless/bin/serverless.js");

/** Packages alone: what is packaged lies in one place of the folder, and two would take each other's. @throws UserError */
export const withPackagingLock = async <T>(work: () => Promise<T>): Promise<T> => {
  const hold = await acquireGameLock({ lock: join(ROOT, ".serverless") });
  if (hold === null) {
    throw new UserError("Another deploy runs from this folder just now: wait until it has ended.");
  }
  try {
    return await work();
  } finally {
    hold.release();
  }
};

/** How a run of the framework ended. */
export interface FrameworkResult {
  code: number;
  /** Whether somebody has cut it off. */
  isCutOff: boolean;
}

/**
 * Runs a command of the framework for a stage; what it says goes where ours goes.
 * @param variables set in its environment beside those of this process
 */
export const runFramework = async (
  command: string[],
  { stage, region }: Stage,
  variables: Record<string, string> = {},
): Promise<FrameworkResult> => {
  const child = spawn(
    process.execPath,
    [SERVERLESS, ...command, "--stage", stage, "--region", region],
    // Nothing is asked of its makers, and nothing told them.
    { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...variables, SLS_NOTIFICATIONS_MODE: "off" } },
  );
  let isCutOff = false;
  // A terminal tells both of us; it ends first, so that nothing of it goes on unseen.
  const cutOff = (): void => {
    isCutOff = true;
    child.kill("SIGINT");
  };
  process.on("SIGINT", cutOff);
  process.on("SIGTERM", cutOff);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    return { code, isCutOff };
  } finally {
    process.off("SIGINT", cutOff);
    process.off("SIGTERM", cutOff);
  }
};
