/** `npm run deploy`: the whole service to AWS, the first time and each time after. */
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

const HELP = `Deploys the service to your AWS account: the table, the queues, the schedule and every function.

  npm run deploy -- --stage STAGE [--dry-run] [--yes] [--region REGION]

${STAGE_HELP}
  --dry-run        packages, says what would be made, and changes nothing with AWS
  --yes            does not ask

Settings come from the environment, then from .env.STAGE; .env.example has them all. Keys are made by the first deploy
and lie in Systems Manager. Credentials are those of AWS_STAGE_PROFILE, AWS_PROFILE, AWS_ACCESS_KEY_ID or
AWS_DEFAULT_PROFILE, whichever is set first, or else of the default profile; checks and deploy take the same.
A deploy that fails or is cut off leaves what was before; run it again. When AWS was asked for too much at once it is
tried once more. At the end a login is sent, which must be refused: passwords are hashed by Lambda's own Node.js.
To go back to a version, check it out and deploy it. Whatever is deployed costs money: npm run cost says how much.
The first time, docs/aws-first-run.md leads through it.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws UserError when a table is in the way that nobody may take away unasked */
const requireNoTable = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun }: { isSure: boolean; dryRun: boolean },
): Promise<void> => {
  const table = await findTable(clients, stage);
  if (table === null) return;
  if (!table.isEmpty) {
    throw new UserError(
      `The table ${stage.name} of an earlier deployment is still there, with its game. Deploy under another name, or save it (npm run export -- --file game.ndjson ${stage.options}), remove it (npm run teardown -- ${stage.options} --delete-game), deploy, and import the file.`,
    );
  }
  const what = `The table ${stage.name} was left by a deploy that failed, and is empty`;
  if (dryRun) {
    console.log(`${what}: it would be removed first.`);
    return;
  }
  if (!isSure && !(isTerminal() && (await promptYesNo(`${what}. Remove it?`)))) {
    throw new UserError(`${what}: give --yes to have it removed first. Nothing has been changed.`);
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

/** What is said of a deploy that has not come to its end. */
const failed = async (clients: Clients, stage: Stage, since: Date, isCutOff: boolean): Promise<UserError> => {
  const stack = await findStack(clients, stage);
  const again = `npm run deploy -- ${stage.options}`;
  if (stack === null) return new UserError(`Nothing is there yet. When the reason above is mended: ${again}`);
  const goesOn = `CloudFormation goes on by itself (${stack.status}), to the new version or back to the one before, never half. Look with npm run doctor -- ${stage.options}; run ${again} when it has ended.`;
  // The framework ends with the first resource that fails, while CloudFormation goes back.
  const failures = isCutOff ? [] : await failuresSince(clients, stage, since);
  if (failures.length > 0) {
    const reasons = failures.map((failure) => `\n  ${failure}`).join("");
    return new UserError(
      `The deploy has failed:${reasons}\n${isInProgress(stack) ? goesOn : `AWS stands at ${stack.status}.`}`,
    );
  }
  if (isInProgress(stack))
    return new UserError(`${isCutOff ? "Cut off" : "Not heard to its end"}: ${goesOn}`);
  const ended = isCutOff ? "Cut off" : "The deploy has failed, for the reason above";
  return REMOVABLE.has(stack.status)
    ? new UserError(
        `${ended}. What is left of it cannot be updated (${stack.status}): remove it by npm run teardown -- ${stage.options}, and deploy again.`,
      )
    : new UserError(`${ended}, and AWS is as it was before (${stack.status}). Deploy again: ${again}`);
};

const told = (stack: Stack | null): string =>
  stack === null
    ? "Nothing of it is there yet."
    : `It is there already, and will be changed (${stack.status}).`;

/** How often the login at the end is tried: new functions, their roles and the name of the API take a while. */
const PROBES = 12;

/** @throws UserError when passwords cannot be hashed there, which says how to go back */
const requirePasswords = async (stage: Stage, url: string, isFirst: boolean): Promise<void> => {
  let finding: Finding | undefined;
  for (let tried = 0; tried < PROBES; tried += 1) {
    if (tried > 0) await pause(pollIntervalMs());
    finding = await checkPasswords(stage, url);
    if (finding.state === "ok") {
      console.log(
        "Passwords are hashed with Argon2id by Lambda's own Node.js: a login was refused as it must be.",
      );
      return;
    }
  }
  const goBack = isFirst
    ? `To take it down: npm run teardown -- ${stage.options}`
    : `To go back, check out the version that ran before, run npm ci, and deploy it: npm run deploy -- ${stage.options}`;
  throw new UserError(
    `The new version is deployed, and logins do not work there. ${finding?.says}\nSee why:  ${finding?.mend} --since 5m\n${goBack}`,
  );
};

/**
 * Runs the framework's deploy, and once more when CloudFormation has gone back only because a service was asked for too
 * much at once.
 * @param clear removes what the first try has left in the way of the second
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
  if (first.ran.code === 0 || first.ran.isCutOff) return first;
  const failuresNow = () => failuresSince(clients, stage, first.since);
  const early = (await findStack(clients, stage)) === null ? [] : await failuresNow();
  if (early.length === 0 || !early.every(isRateLimited)) return first;
  console.log(
    `\nAWS was asked for too much at once:\n  ${early[0]}\nIt is tried once more when CloudFormation has gone back.`,
  );
  const stack = await waitUntilSettled(clients, stage);
  if (stack === null || REMOVABLE.has(stack.status) || stack.status.endsWith("_FAILED")) return first;
  // While it went back something else may have failed too.
  if (!(await failuresNow()).every(isRateLimited)) return first;
  await clear();
  console.log("Trying once more.");
  return run();
};

/** What `deploy` says before it asks. */
const sayWhatIsThere = async (
  clients: Clients,
  stage: Stage,
  settings: StageSettings,
  before: Stack | null,
): Promise<{ account: string; limit: number }> => {
  const { account, arn } = await identityOf(clients);
  const limit = await concurrencyOf(clients);
  console.log(`${stage.name} in ${stage.region}, in the account ${account}. ${told(before)}`);
  console.log(`As ${arn}, by ${stage.credentials.from}: for the checks and for the deploy.`);
  console.log(`Settings: ${settings.file === null ? "" : `${settings.file}, and `}the environment.`);
  console.log(
    `${limit} functions may run at once in this account and region; the queue's worker takes ${deliverConcurrencyOf(limit)} of them.`,
  );
  const notes = [
    ...settingsAdvice(settings, stage),
    ...(stage.credentials.advice === null ? [] : [stage.credentials.advice]),
    ...(limit >= CONCURRENCY_NEEDED || isForTests(stage.stage)
      ? []
      : [`${limit} at once are too few for a mission. ${howToRaiseConcurrency(stage.region)}`]),
  ];
  for (const note of notes) console.log(`Note: ${note}.`);
  return { account, limit };
};

const sayWhatIsNext = (
  stage: Stage,
  { url, domainTarget }: Stack,
  domain: string,
  isFirst: boolean,
): void => {
  console.log(`\n${stage.name} answers at ${domain === "" ? url : `https://${domain} and at ${url}`}`);
  if (domain !== "") console.log(`DNS record of the domain:  ${domain} CNAME ${domainTarget}`);
  console.log(`See that all of it does:   npm run doctor -- ${stage.options}`);
  if (isFirst) console.log(`Make a game master:        npm run create-admin -- --alias gm ${stage.options}`);
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
  const { account, limit } = await sayWhatIsThere(clients, stage, settings, before);
  const hasTable = before !== null && (await listResources(clients, stage)).has("Table");
  if (!hasTable) await requireNoTable(clients, stage, { isSure, dryRun });
  const variables = { ACCOUNT_CONCURRENCY: `${limit}` };
  if (dryRun) {
    for (const kind of missing) console.log(`A ${KEY_KINDS[kind].words} would be made.`);
    const { code } = await runFramework(["package"], stage, variables);
    if (code !== 0) throw new UserError("It cannot be packaged: the reason stands above.");
    console.log("Nothing has been changed with AWS. The template is in .serverless/.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`To deploy ${stage.stage} without a question give --yes.`);
    if (!(await promptYesNo(`Deploy to the account ${account}?`)))
      throw new UserError("Nothing has been changed.");
  }
  for (const name of await createMissingKeys(clients, stage, missing, Date.now()))
    console.log(`Made the parameter ${name}.`);
  const clear = async (): Promise<void> => {
    // There was none when this began: it is of the first try, which went back and left it.
    if (!hasTable) await requireNoTable(clients, stage, { isSure: true, dryRun: false });
  };
  const { ran, since } = await runDeploy(clients, stage, variables, clear);
  if (ran.code !== 0 || ran.isCutOff) throw await failed(clients, stage, since, ran.isCutOff);
  const after = await findStack(clients, stage);
  if (after?.url === undefined) throw new UserError(`The stack ${stage.name} does not say where it answers.`);
  await requirePasswords(stage, after.url, !hasTable);
  sayWhatIsNext(stage, after, settings.domain, !hasTable);
  return 0;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const stage = stageOf(values, "deploy");
  const how = { isSure: values.yes, dryRun: values["dry-run"] };
  return withClients(stage.region, (clients) => withPackagingLock(() => deploy(clients, stage, how)));
};

await runCommand(main);
