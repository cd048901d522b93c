/** `npm run deploy`: the whole service to AWS, the first time and each time after. */
import { parseArgs } from "node:util";
import { accountOf, type Clients, withClients } from "./cloud/clients.ts";
import { alone, runFramework } from "./cloud/framework.ts";
import { KIND_NAMES, KINDS, type KindName, makeMissing, statusOf } from "./cloud/keys.ts";
import { removeTable, tableOf } from "./cloud/leftTable.ts";
import {
  failuresSince,
  isMoving,
  REMOVABLE,
  requireAtRest,
  resourcesOf,
  type Stack,
  stackOf,
} from "./cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "./cloud/stage.ts";
import { adviceOn, loadStageSettings } from "./cloud/stageSettings.ts";
import { askYes, isTerminal } from "./local/ask.ts";
import { runCommand, UserError } from "./local/userError.ts";

const HELP = `Deploys the service to your AWS account: the table, the queues, the schedule and every function.

  npm run deploy -- --stage STAGE [--dry-run] [--yes] [--region REGION]

${STAGE_HELP}
  --dry-run        packages, says what would be made, and changes nothing with AWS
  --yes            does not ask

Settings come from the environment, then from .env.STAGE; .env.example has them all. Keys are made by the first deploy
and lie in Systems Manager. Credentials are those of the AWS CLI (AWS_PROFILE). A deploy that fails or is cut off leaves
what was before; run it again. Whatever is deployed costs money: npm run cost says how much.
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
  const table = await tableOf(clients, stage);
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
  if (!isSure && !(isTerminal() && (await askYes(`${what}. Remove it?`)))) {
    throw new UserError(`${what}: give --yes to have it removed first. Nothing has been changed.`);
  }
  await removeTable(clients, stage);
  console.log(`The empty table ${stage.name} has been removed.`);
};

const missingKeys = async (clients: Clients, stage: Stage): Promise<KindName[]> => {
  const missing: KindName[] = [];
  for (const kind of KIND_NAMES) {
    if ((await statusOf(clients, stage, kind)) === null) missing.push(kind);
  }
  return missing;
};

/** What is said of a deploy that has not come to its end. */
const failed = async (clients: Clients, stage: Stage, since: Date, isCutOff: boolean): Promise<UserError> => {
  const stack = await stackOf(clients, stage);
  const again = `npm run deploy -- ${stage.options}`;
  if (stack === null) return new UserError(`Nothing is there yet. When the reason above is mended: ${again}`);
  const goesOn = `CloudFormation goes on by itself (${stack.status}), to the new version or back to the one before, never half. Look with npm run doctor -- ${stage.options}; run ${again} when it has ended.`;
  // The framework ends with the first resource that fails, while CloudFormation goes back.
  const failures = isCutOff ? [] : await failuresSince(clients, stage, since);
  if (failures.length > 0) {
    const reasons = failures.map((failure) => `\n  ${failure}`).join("");
    return new UserError(
      `The deploy has failed:${reasons}\n${isMoving(stack) ? goesOn : `AWS stands at ${stack.status}.`}`,
    );
  }
  if (isMoving(stack)) return new UserError(`${isCutOff ? "Cut off" : "Not heard to its end"}: ${goesOn}`);
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

const deploy = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun }: { isSure: boolean; dryRun: boolean },
): Promise<number> => {
  const settings = loadStageSettings(stage);
  const account = await accountOf(clients);
  const before = await stackOf(clients, stage);
  requireAtRest(before, stage);
  const missing = await missingKeys(clients, stage);
  console.log(`${stage.name} in ${stage.region}, in the account ${account}. ${told(before)}`);
  console.log(`Settings: ${settings.file === null ? "" : `${settings.file}, and `}the environment.`);
  for (const advice of adviceOn(settings, stage)) console.log(`Note: ${advice}.`);
  const hasTable = before !== null && (await resourcesOf(clients, stage)).has("Table");
  if (!hasTable) await requireNoTable(clients, stage, { isSure, dryRun });
  if (dryRun) {
    for (const kind of missing) console.log(`A ${KINDS[kind].words} would be made.`);
    const { code } = await runFramework(["package"], stage);
    if (code !== 0) throw new UserError("It cannot be packaged: the reason stands above.");
    console.log("Nothing has been changed with AWS. The template is in .serverless/.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`To deploy ${stage.stage} without a question give --yes.`);
    if (!(await askYes(`Deploy to the account ${account}?`)))
      throw new UserError("Nothing has been changed.");
  }
  for (const name of await makeMissing(clients, stage, missing, Date.now()))
    console.log(`Made the parameter ${name}.`);
  const since = new Date();
  const { code, isCutOff } = await runFramework(["deploy"], stage);
  if (code !== 0 || isCutOff) throw await failed(clients, stage, since, isCutOff);
  const after = await stackOf(clients, stage);
  console.log(`\n${stage.name} answers at ${after?.url ?? "an address that its stack does not tell"}`);
  console.log(`See that all of it does:   npm run doctor -- ${stage.options}`);
  if (before === null) {
    console.log(`Make a game master:        npm run create-admin -- --alias gm ${stage.options}`);
  }
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
  return withClients(stage.region, (clients) => alone(() => deploy(clients, stage, how)));
};

await runCommand(main);
