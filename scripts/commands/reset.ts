/** `npm run reset`: a new season, with the accounts of the one before. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rfc3339 } from "../../lib/domain/time.ts";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS, type Target } from "../archive/target.ts";
import { formatCount, formatNumber } from "../cli/format.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { isTerminal, promptText } from "../cli/prompt.ts";
import { messageOf, runCommand, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import {
  findUnfinishedReset,
  previewReset,
  type ResetMark,
  type ResetPreview,
  resetGame,
} from "../season/reset.ts";
import { formatRemoved } from "../season/resetReport.ts";

const HELP = `Begins a new season: accounts, passwords, pictures and subscriptions stay, everybody is a human with a new tag
code, and what was played is gone: hunts, infections, the tree, the leaderboard, notes, the log, the checkpoint, the clock.

  npm run reset [-- --dry-run] [--yes] [--file FILE] [--shards N] [--resume] [--stage STAGE [--region REGION]]

  --dry-run        says what would go and what would stay, and changes nothing
  --yes            does not ask for the table's name
  --file FILE      where the season before goes, as npm run export writes it; .local/season-DATE.ndjson unless said
  --force          replaces a file of that name; with --resume, goes on though the archive is missing
  --shards N       spreads the lists of the new season over so many shards (docs/scale.md); never fewer than before
  --resume         goes on with a reset that was cut off
${TARGET_HELP}

First the game is paused and archived, and the archive is read again; then nothing is removed that is not in it but
stored answers. KEEP THE FILE AS A SECRET: it holds password hashes. Whoever does not play stays a spectator; sessions go on.
Stop the service, or let nobody play, while it runs: what is played meanwhile belongs to neither season.
On AWS it reads the whole table three times; it could be tried on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  file: { type: "string" },
  force: { type: "boolean", default: false },
  shards: { type: "string" },
  resume: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Where no repository and no package takes a file along. */
const KEPT = join(ROOT, ".local");
/** So often is a table read, where nobody plays meanwhile: players, their old codes, and whether that was all. */
const LOOKS = 3;
/** No game needs more: docs/scale.md. */
const MOST_SHARDS = 256;

const shardsOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > MOST_SHARDS) {
    throw new UserError(`--shards ${text}: it must be a whole number from 1 to ${MOST_SHARDS}.`);
  }
  return shards;
};

const told = (prospect: ResetPreview, name: string): string => {
  const { humans, states } = prospect;
  const now = `${formatCount(states.human, "human")}, ${formatCount(states.zombie, "zombie")}, ${formatCount(states.corpse, "corpse")}`;
  return [
    `A reset of ${name} would begin a new season.`,
    `Stays: ${formatCount(humans + states.spectator, "player")}, with their passwords, sessions, pictures and push subscriptions.`,
    `  Human with a new tag code: ${formatNumber(humans)} (now ${now}). Spectators stay spectators: ${formatNumber(states.spectator)}.`,
    `Goes: ${formatRemoved(prospect)}.`,
    "Nothing has been changed.",
  ].join("\n");
};

/** @throws UserError unless whoever runs it means this very table */
const requireMeant = async ({ table, name }: Target, isSure: boolean): Promise<void> => {
  if (isSure) return;
  if (!isTerminal()) throw new UserError(`To reset ${name} without a question give --yes.`);
  const answer = await promptText(`This ends the season of ${name}. Its table's name to go on (${table}): `);
  if (answer !== table) throw new UserError("That is another name: nothing has been changed.");
};

const requireState = async (target: Target, resume: boolean): Promise<void> => {
  const begun = await findUnfinishedReset(target);
  if (begun !== null && !resume) {
    throw new UserError(
      `A reset of ${target.name} that began at ${begun.at} has not ended: go on with --resume. The season before is in ${begun.file}.`,
    );
  }
  if (begun === null && resume)
    throw new UserError(`No reset of ${target.name} was cut off: leave out --resume.`);
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { help, yes, force, resume, "dry-run": dryRun } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  const shards = shardsOf(values.shards);
  const now = rfc3339(Date.now());
  const file = values.file ?? join(KEPT, `season-${now.replaceAll(/[:.]/g, "-")}.ndjson`);
  const target = await openTarget(values);
  let begun: ResetMark | null = null;
  process.once("SIGINT", () => {
    console.error(
      begun === null
        ? `\nThe game may stand paused; begin again, or let a game master resume it.`
        : `\n${target.name} is between two seasons: go on with --resume. The one before is in ${begun.file}.`,
    );
    process.exit(130);
  });
  try {
    await requireState(target, resume);
    const size = await approximateItemCount(target);
    if (dryRun) {
      const progress = startProgress("Looking", size);
      const prospect = await previewReset(target, now, progress.add);
      progress.end();
      console.log(told(prospect, target.name));
      return 0;
    }
    await requireMeant(target, yes);
    if (values.file === undefined) await mkdir(KEPT, { recursive: true });
    let progress: Progress = startProgress("Archiving", size);
    const season = await resetGame(target, {
      ...{ file, force, shards },
      clock: () => Date.now(),
      onArchived: (items) => progress.add(items),
      onBegun: (mark) => {
        begun = mark;
        progress.end();
        progress = startProgress("Resetting", size * LOOKS);
      },
      onItems: (items) => progress.add(items),
    });
    progress.end();
    const { mark, humans } = season;
    console.log(`A new season of ${target.name} began at ${mark.at}.`);
    console.log(`Human with a new tag code: ${formatNumber(humans)}. Gone: ${formatRemoved(season)}.`);
    console.log(`The season before is in ${mark.file}. KEEP IT AS A SECRET: it holds password hashes.`);
    return 0;
  } catch (error) {
    if (begun === null || error instanceof UserError) throw error;
    throw new UserError(`${messageOf(error)}. ${target.name} is between two seasons: go on with --resume.`);
  } finally {
    await target.close();
  }
};

await runCommand(main);
