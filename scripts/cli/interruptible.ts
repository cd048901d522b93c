/** Child processes that Ctrl-C ends, after which the command cleans up and ends. */
import { type Child, type ChildOptions, spawnChild } from "./childProcess.ts";
import { UserError } from "./userError.ts";

let running: Child | undefined;
let isInterrupted = false;

/**
 * From now on, Ctrl-C and SIGTERM end the running command with all of its processes instead of this process. npm passes
 * the signal on, so it arrives twice.
 */
export const endChildrenOnSignals = (): void => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      isInterrupted = true;
      running?.kill();
    });
  }
};

/**
 * Runs a command to its end. @returns how it ended: "exit code 1" or "SIGKILL"
 * @throws UserError if this process was interrupted
 */
export const runInterruptible = async (
  command: readonly string[],
  options: ChildOptions,
): Promise<string> => {
  const requireTime = (): void => {
    if (isInterrupted) throw new UserError("Interrupted.");
  };
  requireTime();
  running = await spawnChild(command, options);
  const end = await running.ended;
  running = undefined;
  requireTime();
  return end;
};
