/** `npm run import`: a whole game out of a file into an empty table. */
import { parseArgs } from "node:util";
import { importGame, previewImport } from "../archive/import.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { formatNumber, quoteSafely } from "../cli/format.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { messageOf, runCommand, UserError } from "../cli/userError.ts";

const HELP = `Fills an empty table with the game in a file that npm run export has written. Log entries, rate limits and
failed logins, as a deploy and npm run doctor leave them, may be in it and stay; players and events may not.

  npm run import -- --file game.ndjson [--dry-run] [--resume] [--stage STAGE [--region REGION]]

  --file FILE      where from; read to its end, and refused before anything is written when it is broken or cut off, or
                   when DynamoDB would not take one of its items
  --dry-run        reads the file and looks at the table, says what would be written, and writes nothing
  --resume         goes on with an import of the same file that was cut off
${TARGET_HELP}

Stop the service of that GAME_FILE first. Nobody is pushed anew what was recorded more than an hour ago; on AWS the
events of the last hour before the import are pushed again. It could be tried on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  file: { type: "string" },
  resume: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { file, resume, help } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (file === undefined) throw new UserError("Out of which file? npm run import -- --file game.ndjson");
  const target = await openTarget(values);
  let progress: Progress | null = null;
  process.once("SIGINT", () => {
    if (progress !== null) console.error(`\n${target.name} is filled in part: go on with --resume.`);
    process.exit(130);
  });
  try {
    if (values["dry-run"]) {
      const { header, trailer } = await previewImport(target, { file, resume });
      console.log(
        `${formatNumber(trailer.items)} items, exported at ${quoteSafely(header.at)}, would be written into ${target.name}. Nothing has been changed.`,
      );
      return 0;
    }
    const { header, trailer } = await importGame(target, {
      file,
      resume,
      at: new Date().toISOString(),
      onVerified: (items) => {
        progress = startProgress("Importing", items);
      },
      onItems: (count) => progress?.add(count),
    });
    console.log(
      `${formatNumber(trailer.items)} items, exported at ${quoteSafely(header.at)}, are in ${target.name} now.`,
    );
    return 0;
  } catch (error) {
    // Before the file was found whole nothing has been written.
    if (progress === null || error instanceof UserError) throw error;
    throw new UserError(`${messageOf(error)}. ${target.name} is filled in part: go on with --resume.`);
  } finally {
    await target.close();
  }
};

await runCommand(main);
