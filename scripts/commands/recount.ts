/** `npm run recount`: holds everything that the table says twice against itself, and mends it when asked. */
import { parseArgs } from "node:util";
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { startProgress } from "../cli/progress.ts";
import { runCommand } from "../cli/userError.ts";
import { recount } from "../recount/recount.ts";
import { formatReport, formatReportJson, isClean } from "../recount/report.ts";

const HELP = `Recounts every counter, index and reference of the game, and says where they differ: players by state,
kills, infections and their parents, lists, aliases, tag codes, pictures, subscriptions, administrators.

  npm run recount [-- --fix] [--json] [--stage STAGE [--region REGION]]

  --fix            mends what the table itself can tell; the rest a game master must decide
  --json           for machines
${TARGET_HELP}

The game may run meanwhile: what differs is looked at again before it is told, and is written only while it is
still as it was read. Exits with 0 when nothing differs or all was mended, with 1 otherwise.
On AWS it reads the whole table at least once; it could be tried on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  fix: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { fix, json, help } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  const target = await openTarget(values);
  try {
    const progress = startProgress("Recounting", await approximateItemCount(target));
    const result = await recount(target, { fix, onItems: progress.add });
    progress.end();
    console.log(json ? formatReportJson(result) : formatReport(result, fix));
    return isClean(result) ? 0 : 1;
  } finally {
    await target.close();
  }
};

await runCommand(main);
