/** Faults that whoever runs a command can mend, and how a command ends on them. */

import { explainStorageErrorOf } from "./storageErrors.ts";

/** A fault told in one line, which says what to do about it. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The text of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether the fault is the caller's: a {@link UserError}, or an option that the command does not have. */
const isCallers = (error: unknown): error is Error =>
  error instanceof UserError ||
  (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));

/**
 * Runs a command to its end and sets the exit code: what `main` answers, or 1 after a fault. What the caller
 * can mend is told in one line, anything else with its stack.
 */
export const runCommand = async (main: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(isCallers(error) ? error.message : (explainStorageErrorOf(error) ?? error));
    process.exitCode = 1;
  }
};
