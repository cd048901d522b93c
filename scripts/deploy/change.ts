/** Changes a stack by the framework, and describes what went wrong. */
import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../cli/userError.ts";
import type { Clients } from "../cloud/clients.ts";
import { type FrameworkResult, runFramework } from "../cloud/framework.ts";
import {
  failuresSince,
  findStack,
  isInProgress,
  isRateLimited,
  pollIntervalMs,
  REMOVABLE,
  waitUntilSettled,
} from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import type { Result } from "../doctor/findings.ts";
import { checkPasswords } from "../doctor/requests.ts";
import { withRemedies } from "./advice.ts";

export interface Change {
  /** Its name in messages. */
  name: "deploy" | "rollback";
  /** The framework's command. */
  command: string[];
  /** Additional environment variables. */
  variables?: Record<string, string>;
  /** Removes what a failed attempt has left behind, before the next one. */
  clear?: () => Promise<void>;
}

/** Returns the error for a change that did not succeed. */
const errorOf = async (
  clients: Clients,
  stage: Stage,
  { name }: Change,
  since: Date,
  isInterrupted: boolean,
): Promise<UserError> => {
  const stack = await findStack(clients, stage);
  const again = `npm run deploy -- ${stage.options}${name === "rollback" ? " --rollback" : ""}`;
  if (stack === null)
    return new UserError(`Nothing has been deployed. Fix the error above, then run: ${again}`);
  const { status } = stack;
  const removable = REMOVABLE.has(status)
    ? `The stack cannot be updated (${status}). Remove it with npm run teardown -- ${stage.options} and deploy again.`
    : null;
  const continues = `CloudFormation continues on AWS (${status}), either to the ${name === "deploy" ? "new" : "earlier"} version or back to the one before. Check with npm run doctor -- ${stage.options}, and run ${again} when it has finished.`;
  // The framework ends at the first failed resource, while CloudFormation is still rolling back.
  const failures = isInterrupted ? [] : await failuresSince(clients, stage, since);
  if (failures.length > 0) {
    // Only the bucket exists before the first deploy has succeeded.
    const before = stack.url === undefined ? "Nothing runs yet" : "What ran before runs on";
    const settled = removable ?? `${before}: the stack is now ${status}. Fix the cause, then run: ${again}`;
    const now = isInProgress(stack) ? continues : settled;
    return new UserError(`The ${name} has failed:\n${withRemedies(failures)}\n${now}`);
  }
  if (isInProgress(stack))
    return new UserError(`${isInterrupted ? "Interrupted" : "The connection was lost"}. ${continues}`);
  const ended = isInterrupted ? "Interrupted" : `The ${name} has failed for the reason above`;
  return new UserError(
    removable === null
      ? `${ended}, and AWS is in the state before it (${status}). ${isInterrupted ? "Try again" : "Fix the cause, then run"}: ${again}`
      : `${ended}. ${removable}`,
  );
};

/**
 * Runs the framework's command. Retries once if CloudFormation rolled back only because a service throttled requests.
 * @throws UserError with the reasons if it fails
 */
export const changeStack = async (clients: Clients, stage: Stage, change: Change): Promise<void> => {
  const { name, command, variables = {}, clear = async () => {} } = change;
  const run = async () => {
    const since = new Date();
    return { ran: await runFramework(command, stage, variables), since };
  };
  const isDone = ({ code, isInterrupted }: FrameworkResult): boolean => code === 0 || isInterrupted;
  const retry = async (first: Awaited<ReturnType<typeof run>>): Promise<typeof first> => {
    const failuresNow = () => failuresSince(clients, stage, first.since);
    const early = (await findStack(clients, stage)) === null ? [] : await failuresNow();
    if (early.length === 0 || !early.every(isRateLimited)) return first;
    console.log(
      `\nAWS throttled requests:\n  ${early[0]}\nThe ${name} is retried once when CloudFormation has rolled back.`,
    );
    const stack = await waitUntilSettled(clients, stage);
    if (stack === null || REMOVABLE.has(stack.status) || stack.status.endsWith("_FAILED")) return first;
    // The rollback may have failed for another reason.
    if (!(await failuresNow()).every(isRateLimited)) return first;
    await clear();
    console.log(`Retrying the ${name}.`);
    return run();
  };
  const first = await run();
  const judge = async (): Promise<UserError | null> => {
    const { ran, since } = isDone(first.ran) ? first : await retry(first);
    const hasFailed = ran.code !== 0 || ran.isInterrupted;
    return hasFailed ? errorOf(clients, stage, change, since, ran.isInterrupted) : null;
  };
  const error = await judge().catch((fault: unknown) => {
    // With expired credentials, nothing can be read of the change, which may have begun.
    const more = `If CloudFormation has begun the ${name}, it continues on AWS.`;
    throw fault instanceof UserError ? new UserError(`${fault.message} ${more}`) : fault;
  });
  if (error !== null) throw error;
};

/** The attempts of the login after a change. New functions, roles and host names take a while to work. */
const LOGIN_ATTEMPTS = 12;

/**
 * Checks that the deployment can hash passwords.
 * @param otherwise the advice for the user if it cannot
 * @throws UserError with the advice if it cannot
 */
export const requirePasswords = async (
  stage: Stage,
  url: string,
  version: string,
  otherwise: string,
): Promise<void> => {
  let finding: Result | undefined;
  for (let tried = 0; tried < LOGIN_ATTEMPTS; tried += 1) {
    if (tried > 0) await pause(pollIntervalMs());
    finding = await checkPasswords(stage, url);
    if (finding.state === "ok") {
      console.log(
        "Passwords are hashed with Argon2id by Lambda's Node.js: a login was rejected as expected.",
      );
      return;
    }
  }
  throw new UserError(
    `The ${version} version is deployed, but logins do not work. ${finding?.text}\nSee why:  ${finding?.fix} --since 5m\n${otherwise}`,
  );
};
