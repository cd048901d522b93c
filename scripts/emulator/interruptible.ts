/** Child processes that Ctrl-C ends, after which the command can clean up. */
import { type Child, type ChildOptions, spawnChild } from "../cli/childProcess.ts";
import { UserError } from "../cli/userError.ts";

let running: Child | undefined;
let isInterrupted = false;

/**
 * Runs a command to its end. @returns how it ended: "exit code 1" or "SIGKILL"
 * @throws UserError if this process was interrupted before
 */
export const runInterruptible = async (
  command: readonly string[],
  options: ChildOptions,
): Promise<string> => {
  if (isInterrupted) throw new UserError("Interrupted.");
  running = await spawnChild(command, options);
  const end = await running.ended;
  running = undefined;
  return end;
};

/** Ends the running command and all of its processes. No further one starts. @returns whether one was running */
export const interrupt = (): boolean => {
  isInterrupted = true;
  running?.kill();
  return running !== undefined;
};
