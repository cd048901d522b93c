/** Goes back to the deployment before: its functions, its pages and the rest of its template. */
import { isDeepStrictEqual } from "node:util";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { UserError } from "../cli/userError.ts";
import { accountOf, type Clients } from "../cloud/clients.ts";
import { findStack, requireDeployable, requireStack } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { loadStageSettings } from "../cloud/stageSettings.ts";
import { changeStack, requirePasswords } from "./change.ts";
import {
  findBefore,
  findStored,
  functionsOf,
  packagedAt,
  type StoredDeployment,
  type Template,
} from "./stored.ts";

/** All environment variables of all functions. */
const variablesOf = (template: Template): Map<string, unknown> =>
  new Map(functionsOf(template).flatMap(({ Environment }) => Object.entries(Environment?.Variables ?? {})));

/** The names of the settings that differ; their values may be secret. */
const changedSettings = (one: Template, other: Template): string[] => {
  const [mine, theirs] = [variablesOf(one), variablesOf(other)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].filter(
    (name) => !isDeepStrictEqual(mine.get(name), theirs.get(name)),
  );
};

/** Prints what goes back and what does not. */
const describe = (running: StoredDeployment, before: StoredDeployment): void => {
  const [now, then] = [running, before].map(({ folder }) => packagedAt(folder).toISOString());
  const [table, tableThen] = [running, before].map(({ template }) => template.Resources.Table);
  const settings = changedSettings(running.template, before.template);
  console.log(`It runs the deployment of ${now}.`);
  console.log(`It goes back to the one of ${then}: functions, pages, and the rest of the template.`);
  if (settings.length > 0) console.log(`These settings get the values of then: ${settings.join(", ")}.`);
  if (!isDeepStrictEqual(table, tableThen)) {
    console.log(
      "The table's definition goes back too: CloudFormation removes indexes that it did not have then. Items stay.",
    );
  }
  console.log(
    "Not rolled back: the game with everything that was stored since, the keys, and the files .env.*. To restore a damaged game, see docs/operations.md.",
  );
};

/**
 * Goes back to the deployment before.
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
  const before = stored === null ? null : await findBefore(clients, stage, stored);
  if (stored === null || before === null) {
    throw new UserError(
      `There is no deployment of ${stage.stage} to go back to. A deploy keeps the one that it replaces, and the bucket the last five. To go further back, check out that version and deploy it: npm run deploy -- ${stage.options}`,
    );
  }
  console.log(`${stage.name} in ${stage.region}, in the account ${account}.`);
  describe(stored.running, before);
  if (dryRun) {
    console.log("Nothing has been changed.");
    return 0;
  }
  if (!isSure) {
    if (!isTerminal()) throw new UserError(`Give --yes to roll back ${stage.stage} without a prompt.`);
    if (!(await promptYesNo("Go back?"))) throw new UserError("Nothing has been changed.");
  }
  const timestamp = `${packagedAt(before.folder).getTime()}`;
  await changeStack(clients, stage, { name: "rollback", command: ["rollback", "--timestamp", timestamp] });
  const after = await findStack(clients, stage);
  if (after?.url === undefined) throw new UserError(`The stack ${stage.name} has no URL.`);
  await requirePasswords(stage, after.url, "earlier", "Fix the cause, and deploy again.");
  console.log(
    `\n${stage.name} runs the deployment of ${packagedAt(before.folder).toISOString()} again. The next deploy uses the settings of now.`,
  );
  console.log(`Check the deployment:      npm run doctor -- ${stage.options}`);
  return 0;
};
