/** `npm run deploy`: deploys the complete service to AWS. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../cli/command.ts";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { UserError } from "../cli/userError.ts";
import { type Clients, identityOf, withClients } from "../cloud/clients.ts";
import { readConcurrencyLimit } from "../cloud/concurrency.ts";
import { PACKAGE, runFramework, withPackagingLock } from "../cloud/framework.ts";
import {
  createMissingKeys,
  KEY_KIND_NAMES,
  KEY_KINDS,
  type KeyKind,
  keyStatus,
  writeMailUrl,
} from "../cloud/keys.ts";
import { findTable, removeTable } from "../cloud/orphanTable.ts";
import { findStack, listResources, requireDeployable, type Stack } from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { loadStageSettings, type StageSettings, settingsAdvice } from "../cloud/stageSettings.ts";
import { decideApiAddress } from "../deploy/apiAddress.ts";
import { changeStack, requirePasswords } from "../deploy/change.ts";
import { writeJoinCode } from "../deploy/joinCode.ts";
import { offerConcurrency } from "../deploy/quota.ts";
import { rollBack } from "../deploy/rollback.ts";
import { requireSameTable } from "../deploy/sameTable.ts";
import { setUpStep } from "../deploy/setUp.ts";
import {
  findStored,
  isRunningLatest,
  readStored,
  recordRunning,
  type StoredDeployments,
} from "../deploy/stored.ts";
import { Template } from "../deploy/template.ts";
import { requireValidTemplates, TEMPLATES } from "../deploy/validate.ts";
import { deliverConcurrencyOf } from "../plugins/deploymentSettings.cjs";
import { PAGES_FUNCTION } from "../project/functions.ts";

const HELP = `Deploys the service to your AWS account: the table, the queues, the schedule and all functions.

  npm run deploy -- --stage STAGE [--rollback] [--dry-run] [--yes] [--keep-api-address] [--request-concurrency]
                    [--region REGION]

${STAGE_HELP}
  --rollback       rolls back to the previous deployment: functions, pages, settings and the rest of the template; not the
                   game, nor the keys
  --dry-run        packages the service, validates its templates, shows what would be created, and changes nothing
                   on AWS
  --yes            does not prompt
  --keep-api-address
                   keeps API Gateway's own address; each deploy without it switches that address off once DOMAIN responds
  --request-concurrency
                   if fewer functions may run concurrently than a mission needs, requests a limit of 1,000 from AWS, which
                   is free; without it, a prompt at a terminal offers the same, but not with --yes

Before your first deploy, read docs/deploy.md. A deployment costs money: npm run cost estimates it.
Settings come from the environment, then from .env.STAGE; .env.example lists them all. The first deploy creates the
keys in Systems Manager. The credentials come from the first of these variables that is set: AWS_STAGE_PROFILE (such as
AWS_SPRING_PROFILE), AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_DEFAULT_PROFILE. If none is set, they come from the default
profile. AWS's own validator checks the templates before anything is created. A deploy that fails or is interrupted is
rolled back; run it again. If AWS throttled requests, it is retried once. After the deploy, a login with an unknown account
is sent. It must be rejected, which shows that password hashing works. The pages of the web app are part of the deployment;
those that are open go on working and update themselves.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  rollback: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  "keep-api-address": { type: "boolean", default: false },
  "request-concurrency": { type: "boolean", default: false },
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

const missingKeys = async (clients: Clients, stage: Stage, hasMail: boolean): Promise<KeyKind[]> => {
  const missing: KeyKind[] = [];
  for (const kind of KEY_KIND_NAMES.filter((name) => name !== "mail" || hasMail)) {
    if ((await keyStatus(clients, stage, kind)) === null) missing.push(kind);
  }
  return missing;
};

const describeStack = (stack: Stack | null): string =>
  stack === null
    ? "Nothing is deployed yet."
    : `It is already deployed and will be updated (${stack.status}).`;

/** Prints the current state before the prompt. */
const printState = async (
  clients: Clients,
  stage: Stage,
  settings: StageSettings,
  before: Stack | null,
): Promise<{ account: string; limit: number }> => {
  const { account, arn } = await identityOf(clients);
  const limit = await readConcurrencyLimit(clients);
  console.log(`${stage.name} in ${stage.region}, in the account ${account}. ${describeStack(before)}`);
  console.log(`Credentials: ${arn}, from ${stage.credentials.from}, for the checks and for the deploy.`);
  console.log(`Settings: ${settings.file === null ? "" : `${settings.file}, and `}the environment.`);
  console.log(
    `${limit} functions may run concurrently in this account and region; the queue's worker uses up to ${deliverConcurrencyOf(limit)} of them.`,
  );
  const notes = [
    ...settingsAdvice(settings, stage),
    ...(stage.credentials.advice === null ? [] : [stage.credentials.advice]),
  ];
  for (const note of notes) console.log(`Note: ${note}.`);
  return { account, limit };
};

const printNextSteps = async (
  stage: Stage,
  { url = "", domainTarget }: Stack,
  { domain, proxySecret }: StageSettings,
  isFirst: boolean,
): Promise<void> => {
  // Players reach a service with a proxy only there.
  const own = domain === "" ? [] : [`https://${domain}`];
  const addresses = new Set(proxySecret === "" ? [...own, url] : own);
  console.log(`\n${stage.name} is available at ${[...addresses].join(" and at ")}`);
  if (domain !== "") console.log(`DNS record of the domain:  ${domain} CNAME ${domainTarget}`);
  console.log(`Check the deployment:      npm run doctor -- ${stage.options}`);
  const setUp = await setUpStep(stage, [...addresses].at(-1) ?? url, isFirst);
  if (setUp !== null) console.log(setUp);
};

/**
 * Saves the zip of the pages that run, so that the new one goes on serving their assets to pages that are open.
 * @returns the variable that names the file
 */
const savePages = async (
  clients: Clients,
  stage: Stage,
  stored: StoredDeployments | null,
  folder: string,
): Promise<Record<string, string>> => {
  if (stored === null) return {};
  const { bucket, running } = stored;
  const zip = await readStored(clients, stage, bucket, running.folder, `${PAGES_FUNCTION}.zip`);
  if (zip === null) {
    console.log("Note: the files of the running pages are gone, so pages that are open now have to reload.");
    return {};
  }
  const file = join(folder, "pages.zip");
  await writeFile(file, zip);
  return { EARLIER_PAGES: file };
};

interface Options {
  isSure: boolean;
  dryRun: boolean;
  keepsApiAddress: boolean;
  /** Whether to request more concurrency without a prompt. */
  asksForMore: boolean;
}

/** Packages the service and checks its templates, also against the one that runs. @throws UserError */
const packageService = async (
  stage: Stage,
  variables: Record<string, string>,
  stored: StoredDeployments | null,
): Promise<void> => {
  const { code } = await runFramework(["package"], stage, variables);
  if (code !== 0) throw new UserError("Packaging has failed; see the error above.");
  await requireValidTemplates(PACKAGE, stage.region);
  if (stored === null) return;
  const text = await readFile(join(PACKAGE, TEMPLATES.service), "utf8");
  requireSameTable(stored.running.template, Template.parse(JSON.parse(text)));
};

const deploy = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun, keepsApiAddress, asksForMore }: Options,
): Promise<number> => {
  const settings = loadStageSettings(stage);
  const before = await findStack(clients, stage);
  requireDeployable(before, stage);
  const missing = await missingKeys(clients, stage, settings.mailUrl !== "");
  const { account, limit } = await printState(clients, stage, settings, before);
  const hasTable = before !== null && (await listResources(clients, stage)).has("Table");
  if (!hasTable) await requireNoTable(clients, stage, { isSure, dryRun });
  const address = await decideApiAddress(stage, { settings, stack: before, keeps: keepsApiAddress });
  if (address.reason !== null) console.log(`Note: ${address.reason}.`);
  const variables = { ACCOUNT_CONCURRENCY: `${limit}`, API_ADDRESS: address.isOn ? "on" : "off" };
  const stored = before === null ? null : await findStored(clients, stage);
  const offerMore = () =>
    offerConcurrency(clients, stage, limit, { isSure, dryRun, isRequested: asksForMore });
  if (dryRun) {
    await offerMore();
    for (const kind of missing) console.log(`A ${KEY_KINDS[kind].label} would be created.`);
    await packageService(stage, variables, stored);
    console.log("Nothing has been changed on AWS. The template is in .serverless/.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`Give --yes to deploy ${stage.stage} without a prompt.`);
    if (!(await promptYesNo(`Deploy to the account ${account}?`)))
      throw new UserError("Nothing has been changed.");
  }
  await offerMore();
  const folder = await makeTempDir();
  try {
    const pages = await savePages(clients, stage, stored, folder);
    await packageService(stage, { ...variables, ...pages }, stored);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const name of await createMissingKeys(clients, stage, missing, Date.now()))
    console.log(`Created the parameter ${name}.`);
  if (await writeMailUrl(clients, stage, settings.mailUrl))
    console.log(`${settings.mailUrl === "" ? "Removed" : "Wrote"} the address of the mail server.`);
  const clear = async (): Promise<void> => {
    // There was no table before, so this one was left by the rollback of the first attempt.
    if (!hasTable) await requireNoTable(clients, stage, { isSure: true, dryRun: false });
  };
  if (stored !== null) await recordRunning(clients, stage, stored);
  // Before the functions change: those that run read the code from the table too.
  if (hasTable) await writeJoinCode(stage, settings.joinCode, stored);
  // The framework compares with the latest files, which are not those that run after a rollback.
  const force = stored === null || isRunningLatest(stored) ? [] : ["--force"];
  await changeStack(clients, stage, {
    ...{ name: "deploy", command: ["deploy", "--package", PACKAGE, ...force], variables, clear },
  });
  if (!hasTable) await writeJoinCode(stage, settings.joinCode, stored);
  const after = await findStack(clients, stage);
  if (after?.url === undefined) throw new UserError(`The stack ${stage.name} has no URL.`);
  const goBack = hasTable
    ? `To go back: npm run deploy -- ${stage.options} --rollback`
    : `To remove it: npm run teardown -- ${stage.options}`;
  await requirePasswords(stage, after.url, "new", goBack);
  await printNextSteps(stage, after, settings, !hasTable);
  return 0;
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const stage = stageOf(values, "deploy");
  const options = {
    isSure: values.yes,
    dryRun: values["dry-run"],
    keepsApiAddress: values["keep-api-address"],
    asksForMore: values["request-concurrency"],
  };
  if (values.rollback && (values["keep-api-address"] || values["request-concurrency"])) {
    throw new UserError("--rollback takes neither --keep-api-address nor --request-concurrency.");
  }
  const run = values.rollback ? rollBack : deploy;
  return withClients(stage.region, (clients) => withPackagingLock(() => run(clients, stage, options)));
});
