/** `npm run reset`: starts a new season with the existing accounts. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ResetPreview } from "../../lib/app/game/resetPass.ts";
import { ENROLMENTS, type Enrolment } from "../../lib/domain/game/settings.ts";
import { counterOf, TAKING_PART } from "../../lib/domain/players/states.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { findUnfinishedReset, type ResetMark } from "../../lib/jobs/resetJob.ts";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS, type Target } from "../archive/target.ts";
import { runCommand } from "../cli/command.ts";
import { formatCount, formatNumber } from "../cli/format.ts";
import { numberOption } from "../cli/numberOption.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { isTerminal, promptText } from "../cli/prompt.ts";
import { reasonOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { describeArchive, previewReset, resetGame } from "../season/reset.ts";
import { formatRemoved } from "../season/resetReport.ts";

const HELP = `Starts a new season. Accounts, passwords, pictures and subscriptions stay. Everybody who played becomes a human with a
new tag code, or a spectator who may enrol; spectators stay spectators. Hunts with their notes, infections, the
leaderboard, the log, the checkpoint, pauses and added days are removed.

  npm run reset [-- --dry-run] [--yes] [--file FILE] [--force] [--shards N] [--resume]
                    [--enrolment everyone|opt_in]
                    [--stage STAGE | --table NAME [--region REGION]]

  --dry-run        shows what would be removed and what would stay, and changes nothing
  --yes            does not prompt for the table's name
  --file FILE      the archive of the old season, an export of the game; default .local/season-DATE.ndjson
  --force          replaces an existing file; with --resume, continues although the archive is missing
  --shards N       number of shards of the new season's lists (docs/scale.md); not fewer than before
  --enrolment WHO  everyone: all players become humans; opt_in: they become spectators, and humans when they enrol.
                   Default: the setting "enrolment"
  --resume         continues an interrupted reset, as it began
${TARGET_HELP}

First the game is paused and archived, and the archive is verified. Then items that are in the archive, and stored
responses, are removed, and nothing else. KEEP THE FILE SECRET: it contains password hashes. Sessions stay valid.
Stop the service first, or make sure that nobody plays: what players do during the reset belongs to neither season.
The first line of the file has the awards of the season. On AWS it reads the whole table at least four times: once to
archive it, and three times to reset it. It has been tested on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  file: { type: "string" },
  force: { type: "boolean", default: false },
  shards: { type: "string" },
  resume: { type: "boolean", default: false },
  enrolment: { type: "string" },
} as const;

/** Listed in `.gitignore`; no deployed package contains it. */
const ARCHIVE_FOLDER = join(ROOT, ".local");
/** How often a reset reads the table if nobody plays: to renew players, to remove their old codes, and to verify. */
const TABLE_READS = 3;
/** No game needs more (docs/scale.md). */
const MAX_SHARDS = 256;

const enrolmentOf = (text: string | undefined): Enrolment | undefined => {
  const found = ENROLMENTS.find((one) => one === text);
  if (text === undefined || found !== undefined) return found;
  throw new UserError(`--enrolment ${text} is invalid: use ${ENROLMENTS.join(" or ")}.`);
};

const formatPreview = (preview: ResetPreview, name: string): string => {
  const { humans, unenrolled, counts } = preview;
  const now = TAKING_PART.map((state) => formatCount(counts[counterOf(state)], state)).join(", ");
  return [
    `A reset of ${name} would start a new season.`,
    `Kept: ${formatCount(humans + unenrolled + counts.spectators, "player")}, with their passwords, sessions, pictures and push subscriptions.`,
    `  ${unenrolled > 0 ? `Spectators until they enrol: ${formatNumber(unenrolled)}` : `Humans with a new tag code: ${formatNumber(humans)}`} (now ${now}). Spectators stay spectators: ${formatNumber(counts.spectators)}.`,
    `Removed: ${formatRemoved(preview)}.`,
    "Nothing has been changed.",
  ].join("\n");
};

/** @throws UserError unless the user confirms this table */
const requireConfirmation = async ({ table, name }: Target, isSure: boolean): Promise<void> => {
  if (isSure) return;
  if (!isTerminal()) throw new UserError(`Give --yes to reset ${name} without a prompt.`);
  const answer = await promptText(
    `This ends the season of ${name}. Enter its table's name to continue (${table}): `,
  );
  if (answer !== table) throw new UserError("The name does not match: nothing has been changed.");
};

/** @returns the mark of the reset to continue; `null` for a new one. @throws UserError if `--resume` does not match */
const requireMatchingResume = async (target: Target, resume: boolean): Promise<ResetMark | null> => {
  const started = await findUnfinishedReset(target);
  if (started !== null && !resume) {
    throw new UserError(
      `A reset of ${target.name} that started at ${started.at} is unfinished. Continue it with --resume. ${describeArchive(started)}`,
    );
  }
  if (started === null && resume)
    throw new UserError(`There is no interrupted reset of ${target.name}. Leave out --resume.`);
  return started;
};

/** What Ctrl-C leaves behind. */
const describeInterruption = (name: string, started: ResetMark | null, isArchiving: boolean): string => {
  if (started !== null)
    return `The reset of ${name} is unfinished. Continue it with --resume. ${describeArchive(started)}`;
  return isArchiving
    ? "The game may still be paused. Run the reset again, or let a game master resume the game."
    : "Nothing has been changed.";
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { yes, force, resume, "dry-run": dryRun } = values;
  const shards =
    values.shards === undefined ? undefined : numberOption("shards", values.shards, 1, MAX_SHARDS);
  const enrolment = enrolmentOf(values.enrolment);
  const now = rfc3339(Date.now());
  const file = values.file ?? join(ARCHIVE_FOLDER, `season-${now.replaceAll(/[:.]/g, "-")}.ndjson`);
  const target = await openTarget(values, { mustExist: true });
  let started: ResetMark | null = null;
  let isArchiving = false;
  process.once("SIGINT", () => {
    console.error(`\n${describeInterruption(target.name, started, isArchiving)}`);
    process.exit(130);
  });
  try {
    started = await requireMatchingResume(target, resume);
    const size = await approximateItemCount(target);
    if (dryRun) {
      const progress = startProgress("Reading", size);
      const preview = await previewReset(target, now, progress.add, enrolment);
      progress.end();
      console.log(formatPreview(preview, target.name));
      return 0;
    }
    await requireConfirmation(target, yes);
    if (values.file === undefined) await mkdir(ARCHIVE_FOLDER, { recursive: true });
    isArchiving = true;
    let progress: Progress = startProgress("Archiving", size);
    const result = await resetGame(target, {
      file,
      force,
      shards,
      enrolment,
      clock: () => Date.now(),
      onArchived: (items) => progress.add(items),
      onArchiveVerified: (mark) => {
        started = mark;
        progress.end();
        progress = startProgress("Resetting", size * TABLE_READS);
      },
      onItems: (items) => progress.add(items),
    });
    progress.end();
    const { mark, humans, unenrolled } = result;
    console.log(`A new season of ${target.name} started at ${mark.at}.`);
    if (unenrolled > 0) console.log(`Spectators until they enrol: ${formatNumber(unenrolled)}.`);
    console.log(`Humans with a new tag code: ${formatNumber(humans)}. Removed: ${formatRemoved(result)}.`);
    const secret = mark.job_id === undefined ? " KEEP IT SECRET: it contains password hashes." : "";
    console.log(`${describeArchive(mark)}${secret}`);
    return 0;
  } catch (error) {
    if (started === null || error instanceof UserError) throw error;
    throw new UserError(
      `${reasonOf(error)}. The reset of ${target.name} is unfinished. Continue it with --resume.`,
    );
  } finally {
    await target.close();
  }
});
