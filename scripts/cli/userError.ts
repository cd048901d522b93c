/** Errors that the user can fix, and how a command reports them. */
import { explainStorageErrorOf } from "./storageErrors.ts";

/** An error that is reported as a message without a stack. The message describes what to do. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why something failed, without a final full stop: a damaged file or a full disk is explained. */
export const reasonOf = (error: unknown): string =>
  explainStorageErrorOf(error)?.replace(/\.$/, "") ?? messageOf(error);

/** The code of a system error, such as ENOENT; `undefined` for any other error. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;

/** Whether the user can fix an error: a {@link UserError} or an invalid option. */
const isFixableByUser = (error: unknown): error is Error =>
  error instanceof UserError ||
  (error instanceof TypeError && codeOf(error)?.startsWith("ERR_PARSE_ARGS") === true);

/** Ignores that nobody reads the output any more, as with `| head -1`: the command still does its work. */
const ignoreClosedPipe = (error: unknown): void => {
  if (codeOf(error) !== "EPIPE") throw error;
};

/**
 * Runs a command and sets the exit code: the result of `main`, or 1 after an error. Errors that the user can fix are
 * reported by their message, others with their stack.
 */
export const reportErrors = async (main: () => Promise<number>): Promise<void> => {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners("error").includes(ignoreClosedPipe)) stream.on("error", ignoreClosedPipe);
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(isFixableByUser(error) ? error.message : (explainStorageErrorOf(error) ?? error));
    process.exitCode = 1;
  }
};
