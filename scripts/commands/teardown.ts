/** `npm run teardown`: takes a deployment down, after its game has been saved. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rfc3339 } from "../../lib/domain/time.ts";
import { readGame } from "../archive/read.ts";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget } from "../archive/target.ts";
import { exportGame } from "../archive/write.ts";
import { startProgress } from "../cli/progress.ts";
import { isTerminal, promptText } from "../cli/prompt.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { accountOf, type Clients, withClients } from "../cloud/clients.ts";
import { runFramework } from "../cloud/framework.ts";
import { removeKeys } from "../cloud/keys.ts";
import { findTable, removeTable } from "../cloud/orphanTable.ts";
import { findStack, isInProgress, listResources, missingStageMessage } from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { ROOT } from "../project/root.ts";

const HELP = `Takes a deployment down: functions, queues, schedule, addresses. Its game is saved into a file first.

  npm run teardown -- --stage STAGE [--dry-run] [--confirm STAGE] [--file FILE] [--delete-game] [--delete-keys]
                     [--region REGION]

${STAGE_HELP}
  --dry-run          says what would go and what would stay, and changes nothing
  --confirm STAGE    does not ask for the stage's name
  --file FILE        where the game goes; .local/teardown-STAGE-DATE.ndjson unless said
  --no-export        saves nothing: for a game that is saved already, or nobody's loss
  --delete-game      deletes the table as well, for good; it is saved once more when nobody can play any longer
  --delete-keys      deletes the keys as well: no browser can be reached then until it subscribes anew

Without --delete-game the table of a stage that is played on stays, and costs what lies in it; those of dev and test…
go with their stack, and with them what is played while it goes. The keys stay, for the file has none. To deploy the
same stage again its table must go: take it down with --delete-game, deploy, import the file.
KEEP THE FILE AS A SECRET: it holds password hashes.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  confirm: { type: "string" },
  file: { type: "string" },
  "no-export": { type: "boolean", default: false },
  "delete-game": { type: "boolean", default: false },
  "delete-keys": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

interface Wanted {
  dryRun: boolean;
  confirm: string | undefined;
  file: string;
  exports: boolean;
  deletesGame: boolean;
  deletesKeys: boolean;
}

/** @throws UserError unless whoever runs it means this very stage */
const requireMeant = async ({ stage, words }: Stage, confirm: string | undefined): Promise<void> => {
  if (confirm === undefined && !isTerminal()) {
    throw new UserError(`To take down ${stage} without a question give --confirm ${stage}.`);
  }
  const answer =
    confirm ?? (await promptText(`This takes down the ${words}. Its name to go on (${stage}): `));
  if (answer !== stage) throw new UserError("That is another name: nothing has been changed.");
};

/** Saves the game, and reads it again: what cannot be read is no copy. */
const save = async (stage: Stage, file: string, again: boolean): Promise<void> => {
  const target = await openTarget({ stage: stage.stage, region: stage.region });
  try {
    await mkdir(join(ROOT, ".local"), { recursive: true });
    const progress = startProgress("Saving", await approximateItemCount(target));
    try {
      const at = rfc3339(Date.now());
      await exportGame(target, { file, force: again, at, withSessions: false, onItems: progress.add });
      await readGame(file, () => {});
    } finally {
      progress.end();
    }
  } finally {
    await target.close();
  }
  if (!again) console.log(`The game is in ${file}. KEEP IT AS A SECRET: it holds password hashes.`);
};

const takeDown = async (clients: Clients, stage: Stage, wanted: Wanted): Promise<number> => {
  const account = await accountOf(clients);
  const stack = await findStack(clients, stage);
  const table = await findTable(clients, stage);
  if (stack === null && (table === null || !wanted.deletesGame)) {
    const left =
      table === null
        ? ""
        : ` Its table ${stage.name} is, with ${table.isEmpty ? "nothing in it" : "its game"}: --delete-game deletes that.`;
    throw new UserError(`${await missingStageMessage(clients, stage, account)}${left}`);
  }
  if (stack !== null && isInProgress(stack)) {
    throw new UserError(`Something is under way with it (${stack.status}): try again when that has ended.`);
  }
  const resources = stack === null ? 0 : (await listResources(clients, stage)).size;
  const goesWithStack = table !== null && !table.isProtected;
  const saves = wanted.exports && table !== null && !table.isEmpty;
  console.log(`${stage.name} in ${stage.region}, in the account ${account}:`);
  if (stack !== null) console.log(`  ${resources} resources of its stack go.`);
  if (saves) console.log(`  Its game is saved into ${wanted.file} first.`);
  if (table !== null) {
    const goes = wanted.deletesGame || goesWithStack;
    console.log(`  Its table ${goes ? "goes for good" : "stays, with the game, and costs what lies in it"}.`);
  }
  console.log(`  Its keys ${wanted.deletesKeys ? "go, and browsers must subscribe anew" : "stay"}.`);
  if (wanted.dryRun) {
    console.log("Nothing has been changed.");
    return 0;
  }
  await requireMeant(stage, wanted.confirm);
  if (saves) await save(stage, wanted.file, false);
  if (stack !== null) {
    const { code, isCutOff } = await runFramework(["remove"], stage);
    if (code !== 0 || isCutOff) {
      const where = saves ? ` The game is in ${wanted.file}.` : "";
      throw new UserError(
        `${isCutOff ? "Cut off" : "It could not be taken down: the reason stands above"}. What is left goes when this is run again.${where}`,
      );
    }
  }
  if (wanted.deletesGame && (await findTable(clients, stage)) !== null) {
    // Until its functions were gone somebody may have played.
    if (saves && stack !== null) await save(stage, wanted.file, true);
    await removeTable(clients, stage);
  }
  if (wanted.deletesKeys) await removeKeys(clients, stage);
  console.log(`The ${stage.words} has been taken down.`);
  if (table !== null && !wanted.deletesGame && !goesWithStack) {
    console.log(`Its table stays. To delete that too: npm run teardown -- ${stage.options} --delete-game`);
  }
  return 0;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
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
};

await runCommand(main);
