/** `npm run export`: a whole game into one file. */
import { parseArgs } from "node:util";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { exportGame } from "../archive/write.ts";
import { formatNumber } from "../cli/format.ts";
import { startProgress } from "../cli/progress.ts";
import { runCommand, UserError } from "../cli/userError.ts";

const SECRETS = "It holds password hashes, the keys of push subscriptions and all that players wrote";

const HELP = `Writes a whole game into one file, one JSON text a line, with a checksum at its end.

  npm run export -- --file game.ndjson [--with-sessions] [--force] [--stage STAGE [--region REGION]]

  --file FILE      where to; readable by you alone, and never half written
  --with-sessions  with everybody's sessions and recovery codes, which are left out otherwise
  --force          replaces a file of that name
${TARGET_HELP}

KEEP THE FILE AS A SECRET. ${SECRETS}.
Left out are stored answers, what addresses have taken of their allowances, and work that is under way. The keys
that lie beside the game (CURSOR_KEY, VAPID) are not part of it: without the same VAPID keys no browser can be
reached. While the game runs, what happens meanwhile may be in the file in part: pause the game, or stop the
service, for an exact copy; otherwise npm run recount -- --fix mends it after the import.
On AWS it reads the whole table; it could be tried on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  file: { type: "string" },
  "with-sessions": { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { file, force, help, "with-sessions": withSessions } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (file === undefined) throw new UserError("Into which file? npm run export -- --file game.ndjson");
  const target = await openTarget(values);
  try {
    const progress = startProgress("Exporting", await approximateItemCount(target));
    const at = new Date().toISOString();
    const { items } = await exportGame(target, { file, withSessions, force, at, onItems: progress.add });
    progress.end();
    console.log(`${formatNumber(items)} items of ${target.name} are in ${file}.`);
    const sessions = withSessions ? ", and sessions that open every account" : "";
    console.log(`KEEP IT AS A SECRET. ${SECRETS}${sessions}.`);
    return 0;
  } finally {
    await target.close();
  }
};

await runCommand(main);
