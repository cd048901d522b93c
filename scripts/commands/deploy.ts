/** `npm run deploy`: deploys the complete service to AWS. */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { type Clients, identityOf, withClients } from "../cloud/clients.ts";
import { CONCURRENCY_NEEDED, concurrencyOf, howToRaiseConcurrency } from "../cloud/concurrency.ts";
import { type FrameworkResult, runFramework, withPackagingLock } from "../cloud/framework.ts";
import { createMissingKeys, KEY_KIND_NAMES, KEY_KINDS, type KeyKind, keyStatus } from "../cloud/keys.ts";
import { findTable, removeTable } from "../cloud/orphanTable.ts";
import {
  failuresSince,
  findStack,
  isInProgress,
  isRateLimited,
  listResources,
  pollIntervalMs,
  REMOVABLE,
  requireDeployable,
  type Stack,
  waitUntilSettled,
} from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { loadStageSettings, type StageSettings, settingsAdvice } from "../cloud/stageSettings.ts";
import type { Finding } from "../doctor/findings.ts";
import { checkPasswords } from "../doctor/requests.ts";
import { deliverConcurrencyOf } from "../plugins/deploymentSettings.cjs";
import { isForTests } from "../plugins/stages.cjs";

const HELP = `Deploys the service to your AWS account: the table, the queues, the schedule and all functions.

  npm run deploy -- --stage STAGE [--dry-run] [--yes] [--region REGION]

${STAGE_HELP}
  --dry-run        packages the service, shows what would be created, and changes nothing on AWS
  --yes            does not prompt

Before your first deploy, read docs/deploy.md. A deployment costs money: npm run cost estimates it.
Settings come from the environment, then from .env.STAGE; .env.example lists them all. The first deploy creates the
keys in Systems Manager. The credentials come from the first of these variables that is set: AWS_STAGE_PROFILE (such as
AWS_SPRING_PROFILE), AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_DEFAULT_PROFILE. If none is set, they come from the default
profile. A deploy that fails or is interrupted is rolled back; run it again. If AWS throttled requests, it is retried
once. After the deploy, a login with an unknown account is sent. It must be rejected, which shows that password hashing
works. To go back to an earlier version, check it out and deploy it.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws UserError if a table with this name exists and may not be removed */
const requireNoTable = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun }: { isSure: boolean; dryRun: boolean },
): Promise<void> => {
  const table = await findTable(clients, stage);
  if (table === null) return;
  if (!table.isEmpty) {
    throw new UserError(
      `The table ${stage.name} of an earlier deployment still exists and contains a game. Deploy under another name, or export the game (npm run export -- --file game.ndjson ${stage.options}), delete the table (npm run teardown -- ${stage.options} --delete-game), deploy, and import the file.`,
    );
  }
  const what = `The table ${stage.name} was left by a failed deploy and is empty`;
  if (dryRun) {
    console.log(`${what}. It would be removed first.`);
    return;
  }
  if (!isSure && !(isTerminal() && (await promptYesNo(`${what}. Remove it?`)))) {
    throw new UserError(`${what}. Give --yes to remove it first. Nothing has been changed.`);
  }
  await removeTable(clients, stage);
  console.log(`The empty table ${stage.name} has been removed.`);
};

const missingKeys = async (clients: Clients, stage: Stage): Promise<KeyKind[]> => {
  const missing: KeyKind[] = [];
  for (const kind of KEY_KIND_NAMES) {
    if ((await keyStatus(clients, stage, kind)) === null) missing.push(kind);
  }
  return missing;
};

/** Returns the error for a deploy that did not succeed. */
const deployError = async (
  clients: Clients,
  stage: Stage,
  since: Date,
  isInterrupted: boolean,
): Promise<UserError> => {
  const stack = await findStack(clients, stage);
  const again = `npm run deploy -- ${stage.options}`;
  if (stack === null)
    return new UserError(`Nothing has been deployed. Fix the error above, then run: ${again}`);
  const { status } = stack;
  const removable = REMOVABLE.has(status)
    ? `The stack cannot be updated (${status}). Remove it with npm run teardown -- ${stage.options} and deploy again.`
    : null;
  const continues = `CloudFormation continues on AWS (${status}), either to the new version or back to the one before. Check with npm run doctor -- ${stage.options}, and run ${again} when it has finished.`;
  // The framework ends at the first failed resource, while CloudFormation is still rolling back.
  const failures = isInterrupted ? [] : await failuresSince(clients, stage, since);
  if (failures.length > 0) {
    const reasons = failures.map((failure) => `\n  ${failure}`).join("");
    const now = isInProgress(stack) ? continues : (removable ?? `The stack is now ${status}.`);
    return new UserError(`The deploy has failed:${reasons}\n${now}`);
  }
  if (isInProgress(stack))
    return new UserError(`${isInterrupted ? "Interrupted" : "The connection was lost"}. ${continues}`);
  const ended = isInterrupted ? "Interrupted" : "The deploy has failed for the reason above";
  return new UserError(
    removable === null
      ? `${ended}, and AWS is in the state before it (${status}). Deploy again: ${again}`
      : `${ended}. ${removable}`,
  );
};

const describeStack = (stack: Stack | null): string =>
  stack === null
    ? "Nothing is deployed yet."
    : `It is already deployed and will be updated (${stack.status}).`;

/** The attempts of the login after the deploy. New functions, roles and host names take a while to work. */
const LOGIN_ATTEMPTS = 12;

/** @throws UserError with instructions to go back, if the deployment cannot hash passwords */
const requirePasswords = async (stage: Stage, url: string, isFirst: boolean): Promise<void> => {
  let finding: Finding | undefined;
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
  const goBack = isFirst
    ? `To remove it: npm run teardown -- ${stage.options}`
    : `To go back, check out the previous version, run npm ci, and deploy it: npm run deploy -- ${stage.options}`;
  throw new UserError(
    `The new version is deployed, but logins do not work. ${finding?.says}\nSee why:  ${finding?.mend} --since 5m\n${goBack}`,
  );
};

/**
 * Runs the framework's deploy. Retries once if CloudFormation rolled back only because a service throttled requests.
 * @param clear removes what the first attempt left behind
 */
const runDeploy = async (
  clients: Clients,
  stage: Stage,
  variables: Record<string, string>,
  clear: () => Promise<void>,
): Promise<{ ran: FrameworkResult; since: Date }> => {
  const run = async () => {
    const since = new Date();
    return { ran: await runFramework(["deploy"], stage, variables), since };
  };
  const first = await run();
  if (first.ran.code === 0 || first.ran.isInterrupted) return first;
  const failuresNow = () => failuresSince(clients, stage, first.since);
  const early = (await findStack(clients, stage)) === null ? [] : await failuresNow();
  if (early.length === 0 || !early.every(isRateLimited)) return first;
  console.log(
    `\nAWS throttled requests:\n  ${early[0]}\nThe deploy is retried once when CloudFormation has rolled back.`,
  );
  const stack = await waitUntilSettled(clients, stage);
  if (stack === null || REMOVABLE.has(stack.status) || stack.status.endsWith("_FAILED")) return first;
  // The rollback may have failed for another reason.
  if (!(await failuresNow()).every(isRateLimited)) return first;
  await clear();
  console.log("Retrying the deploy.");
  return run();
};

/** Prints the current state before the prompt. */
const printState = async (
  clients: Clients,
  stage: Stage,
  settings: StageSettings,
  before: Stack | null,
): Promise<{ account: string; limit: number }> => {
  const { account, arn } = await identityOf(clients);
  const limit = await concurrencyOf(clients);
  console.log(`${stage.name} in ${stage.region}, in the account ${account}. ${describeStack(before)}`);
  console.log(`Credentials: ${arn}, from ${stage.credentials.from}, for the checks and for the deploy.`);
  console.log(`Settings: ${settings.file === null ? "" : `${settings.file}, and `}the environment.`);
  console.log(
    `${limit} functions may run concurrently in this account and region; the queue's worker uses up to ${deliverConcurrencyOf(limit)} of them.`,
  );
  const notes = [
    ...settingsAdvice(settings, stage),
    ...(stage.credentials.advice === null ? [] : [stage.credentials.advice]),
    ...(limit >= CONCURRENCY_NEEDED || isForTests(stage.stage)
      ? []
      : [`A limit of ${limit} is too low for a mission. ${howToRaiseConcurrency(stage.region)}`]),
  ];
  for (const note of notes) console.log(`Note: ${note}.`);
  return { account, limit };
};

const printNextSteps = (
  stage: Stage,
  { url, domainTarget }: Stack,
  domain: string,
  isFirst: boolean,
): void => {
  console.log(`\n${stage.name} is available at ${domain === "" ? url : `https://${domain} and at ${url}`}`);
  if (domain !== "") console.log(`DNS record of the domain:  ${domain} CNAME ${domainTarget}`);
  console.log(`Check the deployment:      npm run doctor -- ${stage.options}`);
  if (isFirst) console.log(`Create a game master:      npm run create-admin -- --alias gm ${stage.options}`);
};

const deploy = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun }: { isSure: boolean; dryRun: boolean },
): Promise<number> => {
  const settings = loadStageSettings(stage);
  const before = await findStack(clients, stage);
  requireDeployable(before, stage);
  const missing = await missingKeys(clients, stage);
  const { account, limit } = await printState(clients, stage, settings, before);
  const hasTable = before !== null && (await listResources(clients, stage)).has("Table");
  if (!hasTable) await requireNoTable(clients, stage, { isSure, dryRun });
  const variables = { ACCOUNT_CONCURRENCY: `${limit}` };
  if (dryRun) {
    for (const kind of missing) console.log(`A ${KEY_KINDS[kind].label} would be created.`);
    const { code } = await runFramework(["package"], stage, variables);
    if (code !== 0) throw new UserError("Packaging has failed; see the error above.");
    console.log("Nothing has been changed on AWS. The template is in .serverless/.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`Give --yes to deploy ${stage.stage} without a prompt.`);
    if (!(await promptYesNo(`Deploy to the account ${account}?`)))
      throw new UserError("Nothing has been changed.");
  }
  for (const name of await createMissingKeys(clients, stage, missing, Date.now()))
    console.log(`Created the parameter ${name}.`);
  const clear = async (): Promise<void> => {
    // There was no table before, so this one was left by the rollback of the first attempt.
    if (!hasTable) await requireNoTable(clients, stage, { isSure: true, dryRun: false });
  };
  const { ran, since } = await runDeploy(clients, stage, variables, clear);
  if (ran.code !== 0 || ran.isInterrupted) throw await deployError(clients, stage, since, ran.isInterrupted);
  const after = await findStack(clients, stage);
  if (after?.url === undefined) throw new UserError(`The stack ${stage.name} has no URL.`);
  await requirePasswords(stage, after.url, !hasTable);
  printNextSteps(stage, after, settings.domain, !hasTable);
  return 0;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const stage = stageOf(values, "deploy");
  const options = { isSure: values.yes, dryRun: values["dry-run"] };
  return withClients(stage.region, (clients) => withPackagingLock(() => deploy(clients, stage, options)));
};

await runCommand(main);
