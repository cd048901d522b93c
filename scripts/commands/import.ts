/** `npm run import`: imports a complete game from a file into an empty table. */
import { importGame, previewImport } from "../archive/import.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { runCommand } from "../cli/command.ts";
import { formatNumber, quoteSafely } from "../cli/format.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { reasonOf, UserError } from "../cli/userError.ts";

const HELP = `Imports a game into an empty table, from a file that npm run export has written. The table must not contain players
and events. Log entries, rate limits and failed logins, which a deploy and npm run doctor write, may exist and stay.

  npm run import -- --file game.ndjson [--dry-run] [--resume]
                    [--stage STAGE | --table NAME [--region REGION]]

  --file FILE      the file to import; it is checked completely before anything is written
  --dry-run        checks the file and the table, shows what would be written, and writes nothing
  --resume         continues an interrupted import of the same file
${TARGET_HELP}

Stop the service of a local game first, unless the game is in memory. On AWS, players get push messages again for
events of the hour before the import, but not for older ones. It has been tested on local engines only.
`;

const WITHOUT_SECRETS =
  "The file is of the page, so it has no passwords: nobody of it can log in. To look at the game, make a game master with npm run create-admin.";

const OPTIONS = {
  ...TARGET_OPTIONS,
  file: { type: "string" },
  resume: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
} as const;

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { file, resume } = values;
  if (file === undefined)
    throw new UserError("The option --file is missing, as in: npm run import -- --file game.ndjson");
  const target = await openTarget(values, { withoutService: !values["dry-run"] });
  let progress: Progress | null = null;
  process.once("SIGINT", () => {
    if (progress !== null)
      console.error(`\nThe import into ${target.name} is incomplete. Continue it with --resume.`);
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
      `${formatNumber(trailer.items)} items, exported at ${quoteSafely(header.at)}, are now in ${target.name}.`,
    );
    if (header.partial === true) console.log(WITHOUT_SECRETS);
    return 0;
  } catch (error) {
    // Nothing is written before the file has been checked.
    if (progress === null || error instanceof UserError) throw error;
    throw new UserError(
      `${reasonOf(error)}. The import into ${target.name} is incomplete. Continue it with --resume.`,
    );
  } finally {
    await target.close();
  }
});
