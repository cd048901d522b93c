/** `npm run export`: writes a complete game to a file. */
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { exportGame } from "../archive/write.ts";
import { runCommand } from "../cli/command.ts";
import { formatNumber } from "../cli/format.ts";
import { startProgress } from "../cli/progress.ts";
import { UserError } from "../cli/userError.ts";

const SECRETS = "It contains password hashes, keys of push subscriptions and everything that players wrote";

const HELP = `Writes a complete game to a file: one JSON document per line, with a checksum at the end.

  npm run export -- --file game.ndjson [--with-sessions] [--force]
                    [--stage STAGE | --table NAME [--region REGION]]

  --file FILE      the file to write; only you can read it, and it exists only when it is complete
  --with-sessions  includes sessions and recovery codes, which are left out by default
  --force          replaces an existing file
${TARGET_HELP}

KEEP THE FILE SECRET. ${SECRETS}.
It does not contain webhooks, links of invitations and other mails, stored responses, rate limits, unfinished jobs, or
the keys (CURSOR_KEY, VAPID). Without the same VAPID keys, browsers get no push messages until they subscribe again;
without the same CURSOR_KEY, birth dates and emergency contacts of signatures cannot be read. A change during the export
may be included in part. For an exact copy, pause the game or stop the service; otherwise run npm run recount -- --fix
after the import. On AWS it reads the whole table. It has been tested on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  file: { type: "string" },
  "with-sessions": { type: "boolean", default: false },
  force: { type: "boolean", default: false },
} as const;

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { file, force, "with-sessions": withSessions } = values;
  if (file === undefined)
    throw new UserError("The option --file is missing, as in: npm run export -- --file game.ndjson");
  const target = await openTarget(values, { mustExist: true });
  try {
    const progress = startProgress("Exporting", await approximateItemCount(target));
    const at = new Date().toISOString();
    const { items } = await exportGame(target, { file, withSessions, force, at, onItems: progress.add });
    progress.end();
    console.log(`${formatNumber(items)} items of ${target.name} were written to ${file}.`);
    const sessions = withSessions ? ", and sessions that give access to every account" : "";
    console.log(`KEEP IT SECRET. ${SECRETS}${sessions}.`);
    return 0;
  } finally {
    await target.close();
  }
});
