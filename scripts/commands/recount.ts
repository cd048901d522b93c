/** `npm run recount`: checks redundant data in the table for differences, and repairs it on request. */
import { approximateItemCount } from "../archive/scan.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { requireNoImport } from "../archive/write.ts";
import { runCommand } from "../cli/command.ts";
import { startProgress } from "../cli/progress.ts";
import { recount } from "../recount/recount.ts";
import { formatReport, formatReportJson, isClean } from "../recount/report.ts";

const HELP = `Recounts every counter, index and reference of the game and reports differences: players by state, kills, infections
and their parents, lists, aliases, tag codes, pictures, subscriptions, administrators.

  npm run recount [-- --fix] [--json] [--stage STAGE | --table NAME [--region REGION]]

  --fix            repairs differences whose right value can be derived from the table; game masters decide the others
  --json           machine-readable
${TARGET_HELP}

The game may be running: differences are checked again before they are reported, and a repair is written only if the
items have not changed since. The exit code is 0 if nothing differs or everything was repaired, and 1 otherwise.
On AWS it reads the whole table at least once. It has been tested on local engines only.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  fix: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { fix, json } = values;
  const target = await openTarget(values, { mustExist: true });
  try {
    await requireNoImport(target);
    const progress = startProgress("Recounting", await approximateItemCount(target));
    const result = await recount(target, { fix, onItems: progress.add });
    progress.end();
    console.log(json ? formatReportJson(result) : formatReport(result, fix));
    return isClean(result) ? 0 : 1;
  } finally {
    await target.close();
  }
});
