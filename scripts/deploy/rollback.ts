/** Rolls a stage back to its previous deployment: its functions, its pages and the rest of its template. */
import { isDeepStrictEqual } from "node:util";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { UserError } from "../cli/userError.ts";
import { accountOf, type Clients } from "../cloud/clients.ts";
import { findStack, requireDeployable, requireStack } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { loadStageSettings } from "../cloud/stageSettings.ts";
import { changeStack, requirePasswords } from "./change.ts";
import { requireSameTable } from "./sameTable.ts";
import { findPrevious, findStored, functionsOf, packagedAt, type StoredDeployment } from "./stored.ts";
import type { Template } from "./template.ts";

/** All environment variables of all functions. */
const variablesOf = (template: Template): Map<string, unknown> =>
  new Map(functionsOf(template).flatMap(({ Environment }) => Object.entries(Environment?.Variables ?? {})));

/** The names of the settings that differ; their values may be secret. */
const changedSettings = (one: Template, other: Template): string[] => {
  const [ones, others] = [variablesOf(one), variablesOf(other)];
  return [...new Set([...ones.keys(), ...others.keys()])].filter(
    (name) => !isDeepStrictEqual(ones.get(name), others.get(name)),
  );
};

/** Prints what is rolled back and what is not. */
const describe = (running: StoredDeployment, previous: StoredDeployment): void => {
  const [now, then] = [running, previous].map(({ folder }) => packagedAt(folder).toISOString());
  const [table, tableThen] = [running, previous].map(({ template }) => template.Resources.Table);
  const settings = changedSettings(running.template, previous.template);
  console.log(`Running: the deployment of ${now}.`);
  console.log(`Rolled back to: the deployment of ${then}: functions, pages, and the rest of the template.`);
  if (settings.length > 0) console.log(`These settings get their earlier values: ${settings.join(", ")}.`);
  if (!isDeepStrictEqual(table, tableThen)) {
    console.log(
      "The table's definition is rolled back too: CloudFormation removes indexes that the table did not have then. Items stay.",
    );
  }
  console.log(
    "Not rolled back: the game with everything that was stored since, the keys, and the files .env.*. To restore a damaged game, see docs/restore.md.",
  );
};

/**
 * Rolls a stage back to its previous deployment.
 * @throws UserError if there is none, or the user does not confirm
 */
export const rollBack = async (
  clients: Clients,
  stage: Stage,
  { isSure, dryRun }: { isSure: boolean; dryRun: boolean },
): Promise<number> => {
  loadStageSettings(stage);
  const account = await accountOf(clients);
  requireDeployable(await requireStack(clients, stage, account), stage);
  const stored = await findStored(clients, stage);
  const previous = stored === null ? null : await findPrevious(clients, stage, stored);
  if (stored === null || previous === null) {
    throw new UserError(
      `No earlier deployment of ${stage.stage} that has run is stored. The bucket keeps the files of the last five deployments, failed ones included. To go further back, check out that version and deploy it: npm run deploy -- ${stage.options}`,
    );
  }
  console.log(`${stage.name} in ${stage.region}, in the account ${account}.`);
  describe(stored.running, previous);
  requireSameTable(stored.running.template, previous.template);
  if (dryRun) {
    console.log("Nothing has been changed.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`Give --yes to roll back ${stage.stage} without a prompt.`);
    if (!(await promptYesNo("Roll back?"))) throw new UserError("Nothing has been changed.");
  }
  const timestamp = `${packagedAt(previous.folder).getTime()}`;
  await changeStack(clients, stage, { name: "rollback", command: ["rollback", "--timestamp", timestamp] });
  const after = await findStack(clients, stage);
  if (after?.url === undefined) throw new UserError(`The stack ${stage.name} has no URL.`);
  await requirePasswords(stage, after.url, "earlier", "Fix the cause, and deploy again.");
  console.log(
    `\n${stage.name} runs the deployment of ${packagedAt(previous.folder).toISOString()} again. The next deploy uses the current settings.`,
  );
  console.log(`Check the deployment:      npm run doctor -- ${stage.options}`);
  return 0;
};
