/** `npm run teardown`: exports the game of a deployment and removes the deployment. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { rfc3339 } from "../../lib/domain/time.ts";
import { readGame } from "../archive/read.ts";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget } from "../archive/target.ts";
import { exportGame } from "../archive/write.ts";
import { runCommand } from "../cli/command.ts";
import { startProgress } from "../cli/progress.ts";
import { isTerminal, promptText } from "../cli/prompt.ts";
import { UserError } from "../cli/userError.ts";
import { accountOf, type Clients, withClients } from "../cloud/clients.ts";
import { runFramework } from "../cloud/framework.ts";
import { removeKeys } from "../cloud/keys.ts";
import { findTable, removeTable } from "../cloud/orphanTable.ts";
import {
  failuresSince,
  findStack,
  isInProgress,
  listResources,
  missingStageMessage,
} from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { withRemedies } from "../deploy/advice.ts";
import { ROOT } from "../project/root.ts";

const HELP = `Removes a deployment: functions, queues, schedule, API. Its game is exported first.

  npm run teardown -- --stage STAGE [--dry-run] [--confirm STAGE] [--file FILE | --no-export] [--delete-game]
                      [--delete-keys] [--region REGION]

${STAGE_HELP}
  --dry-run        shows what would be removed and what would stay, and changes nothing
  --confirm STAGE  does not prompt for the stage's name
  --file FILE      the file for the export; default .local/teardown-STAGE-DATE.ndjson
  --no-export      exports nothing, for a game that is already exported or not needed
  --delete-game    also deletes the table permanently; the game is exported again after the functions are removed
  --delete-keys    also deletes the keys; browsers then get no push messages until they subscribe again, and birth
                   dates and emergency contacts of signatures cannot be read any more, also not in the export

Without --delete-game the table stays and its storage is charged. The table of the stage dev, and of stages whose name
starts with test, is always deleted. Without --delete-keys the keys stay, because the export does not contain them.
While its table exists, a stage cannot be deployed again. To move the game into a new deployment of the same stage, tear
it down with --delete-game, deploy it, and import the file.
KEEP THE FILE SECRET: it contains password hashes.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  confirm: { type: "string" },
  file: { type: "string" },
  "no-export": { type: "boolean", default: false },
  "delete-game": { type: "boolean", default: false },
  "delete-keys": { type: "boolean", default: false },
} as const;

interface Wanted {
  dryRun: boolean;
  confirm: string | undefined;
  file: string;
  exports: boolean;
  deletesGame: boolean;
  deletesKeys: boolean;
}

/** @throws UserError unless the user confirms this stage */
const requireConfirmation = async ({ stage, label }: Stage, confirm: string | undefined): Promise<void> => {
  if (confirm === undefined && !isTerminal()) {
    throw new UserError(`Give --confirm ${stage} to remove ${stage} without a prompt.`);
  }
  const answer =
    confirm ?? (await promptText(`This removes the ${label}. Enter its name to continue (${stage}): `));
  if (answer !== stage) throw new UserError("The name does not match: nothing has been changed.");
};

/** Exports the game and verifies the file. */
const save = async (stage: Stage, file: string, again: boolean): Promise<void> => {
  const target = await openTarget({ stage: stage.stage, region: stage.region });
  try {
    await mkdir(join(ROOT, ".local"), { recursive: true });
    const progress = startProgress("Saving", await approximateItemCount(target));
    try {
      const at = rfc3339(Date.now());
      const instead = "give --no-export if this game is in it";
      const options = { file, force: again, instead, at, withSessions: false, onItems: progress.add };
      await exportGame(target, options);
      await readGame(file, () => {});
    } finally {
      progress.end();
    }
  } finally {
    await target.close();
  }
  if (!again) console.log(`The game was exported to ${file}. KEEP IT SECRET: it contains password hashes.`);
};

const takeDown = async (clients: Clients, stage: Stage, wanted: Wanted): Promise<number> => {
  const account = await accountOf(clients);
  const stack = await findStack(clients, stage);
  const table = await findTable(clients, stage);
  if (stack === null && (table === null || !wanted.deletesGame)) {
    const left =
      table === null
        ? ""
        : ` Its table ${stage.name} still exists ${table.isEmpty ? "and is empty" : "and contains its game"}. Delete it with --delete-game.`;
    throw new UserError(`${await missingStageMessage(clients, stage, account)}${left}`);
  }
  if (stack !== null && isInProgress(stack)) {
    throw new UserError(
      `The deployment is being changed (${stack.status}). Try again when that has finished.`,
    );
  }
  const resources = stack === null ? 0 : (await listResources(clients, stage)).size;
  const goesWithStack = table !== null && !table.isProtected;
  const saves = wanted.exports && table !== null && !table.isEmpty;
  console.log(`${stage.name} in ${stage.region}, in the account ${account}:`);
  if (stack !== null) console.log(`  ${resources} resources of its stack are removed.`);
  if (saves) console.log(`  Its game is exported to ${wanted.file} first.`);
  if (table !== null) {
    const goes = wanted.deletesGame || goesWithStack;
    console.log(
      `  Its table ${goes ? "is deleted permanently" : "stays with the game, and its storage is charged"}.`,
    );
  }
  console.log(
    `  Its keys ${wanted.deletesKeys ? "are deleted: browsers must subscribe again, and birth dates and contacts of signatures cannot be read" : "stay"}.`,
  );
  if (wanted.dryRun) {
    console.log("Nothing has been changed.");
    return 0;
  }
  await requireConfirmation(stage, wanted.confirm);
  if (saves) await save(stage, wanted.file, false);
  if (stack !== null) {
    const since = new Date();
    const { code, isInterrupted } = await runFramework(["remove"], stage);
    if (code !== 0 || isInterrupted) {
      // Without new credentials nothing can be read, and the framework has printed the reason.
      const failures = isInterrupted ? [] : await failuresSince(clients, stage, since).catch(() => []);
      const why =
        failures.length === 0
          ? "; see the error above."
          : `:\n${withRemedies(failures)}\nNot everything is gone.`;
      const saved = saves ? ` The game is in ${wanted.file}.` : "";
      throw new UserError(
        `${isInterrupted ? "Interrupted." : `The deployment could not be removed${why}`} Run it again to remove the rest.${saved}`,
      );
    }
  }
  if (wanted.deletesGame && (await findTable(clients, stage)) !== null) {
    // Players could still change the game until its functions were removed.
    if (saves && stack !== null) await save(stage, wanted.file, true);
    await removeTable(clients, stage);
  }
  if (wanted.deletesKeys) await removeKeys(clients, stage);
  console.log(`The ${stage.label} has been removed.`);
  if (table !== null && !wanted.deletesGame && !goesWithStack) {
    console.log(`Its table stays. To delete it too: npm run teardown -- ${stage.options} --delete-game`);
  }
  return 0;
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const stage = stageOf(values, "teardown");
  const date = rfc3339(Date.now()).replaceAll(/[:.]/g, "-");
  return withClients(stage.region, (clients) =>
    takeDown(clients, stage, {
      dryRun: values["dry-run"],
      confirm: values.confirm,
      file: values.file ?? join(ROOT, `.local/teardown-${stage.stage}-${date}.ndjson`),
      exports: !values["no-export"],
      deletesGame: values["delete-game"],
      deletesKeys: values["delete-keys"],
    }),
  );
});
