/** `npm run rotate`: adds new keys to a deployment while the old ones stay valid. */
import { rfc3339 } from "../../lib/domain/time.ts";
import { runCommand } from "../cli/command.ts";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { UserError } from "../cli/userError.ts";
import { accountOf, withClients } from "../cloud/clients.ts";
import { KEY_KIND_NAMES, KEY_KINDS, OVERLAP_MS, type Rotation, rotate } from "../cloud/keys.ts";
import { requireStack } from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, stageOf } from "../cloud/stage.ts";

const MINUTES = OVERLAP_MS / 60_000;

const HELP = `Adds new keys to a deployment. Older keys stay valid: cursors still work, and every browser still receives push messages.

  npm run rotate -- --stage STAGE [--cursor] [--vapid] [--mail] [--drop-old] [--dry-run] [--yes] [--region REGION]

${STAGE_HELP}
  --cursor         rotates the key that encrypts the cursors of lists
  --vapid          rotates the VAPID key pair for push services; without a selection, this and the cursor key are rotated
  --mail           rotates the key of the tokens in mails
  --drop-old       keeps only the new key and the current one. If a key has leaked, run it twice, ${MINUTES} minutes apart.
                   Browsers that subscribed with a dropped key pair get no push messages until they subscribe again, and
                   birth dates and emergency contacts that were entered under a dropped cursor key cannot be read any more
  --dry-run        shows what would be done, and changes nothing
  --yes            does not prompt

A new key is used after ${MINUTES} minutes, when every function has read it. No deploy is needed.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  cursor: { type: "boolean", default: false },
  vapid: { type: "boolean", default: false },
  mail: { type: "boolean", default: false },
  "drop-old": { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
} as const;

const formatRotation = ({ name, label, since, kept, dropped }: Rotation, isDone: boolean): string => {
  const others = `${kept} older ${kept === 1 ? "one stays" : "ones stay"} valid${dropped === 0 ? "" : `, ${dropped} ${isDone ? "removed" : "would be removed"}`}`;
  return `${name}: a new ${label} ${isDone ? "is" : "would be"} used from ${rfc3339(since)} on; ${others}.`;
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { yes, cursor, vapid, mail, "drop-old": dropOld, "dry-run": dryRun } = values;
  const stage = stageOf(values, "rotate");
  const usual = !cursor && !vapid && !mail;
  const selected = { cursor: cursor || usual, vapid: vapid || usual, mail };
  const kinds = KEY_KIND_NAMES.filter((kind) => selected[kind]);
  return withClients(stage.region, async (clients) => {
    await requireStack(clients, stage, await accountOf(clients));
    if (!dryRun && !yes) {
      if (!isTerminal())
        throw new UserError(`Give --yes to rotate the keys of ${stage.stage} without a prompt.`);
      const what = kinds.map((kind) => KEY_KINDS[kind].label).join(" and a new ");
      if (!(await promptYesNo(`Rotate the keys of ${stage.label}: a new ${what}?`))) {
        throw new UserError("Nothing has been changed.");
      }
    }
    const now = Date.now();
    for (const kind of kinds) {
      console.log(formatRotation(await rotate(clients, stage, kind, { now, dropOld, dryRun }), !dryRun));
    }
    if (dryRun) console.log("Nothing has been changed.");
    return 0;
  });
});
