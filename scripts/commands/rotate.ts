/** `npm run rotate`: new keys for a deployment, while the old ones stay good. */
import { parseArgs } from "node:util";
import { rfc3339 } from "../../lib/domain/time.ts";
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { accountOf, withClients } from "../cloud/clients.ts";
import { KEY_KIND_NAMES, KEY_KINDS, OVERLAP_MS, type Rotation, rotate } from "../cloud/keys.ts";
import { requireStack } from "../cloud/stack.ts";
import { STAGE_HELP, STAGE_OPTIONS, stageOf } from "../cloud/stage.ts";

const MINUTES = OVERLAP_MS / 60_000;

const HELP = `Gives a deployment new keys. Those before stay good: no cursor breaks, and every browser is still reached.

  npm run rotate -- --stage STAGE [--cursor] [--vapid] [--drop-old] [--dry-run] [--yes] [--region REGION]

${STAGE_HELP}
  --cursor         the key that cursors of lists are encrypted with
  --vapid          the key pair by which push services know the deployment; both kinds unless one is named
  --drop-old       keeps the one in use beside the new one, and none before: for a key that has leaked, run it twice,
                   ${MINUTES} minutes apart. Browsers that subscribed with a dropped pair hear nothing more until they subscribe anew
  --dry-run        says what would be done, and changes nothing
  --yes            does not ask

A new key is used ${MINUTES} minutes after it was made: by then every function has read it. No deploy is needed.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  cursor: { type: "boolean", default: false },
  vapid: { type: "boolean", default: false },
  "drop-old": { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const told = ({ name, words, since, kept, dropped }: Rotation, isDone: boolean): string => {
  const others = `${kept} before it ${kept === 1 ? "stays" : "stay"} good${dropped === 0 ? "" : `, ${dropped} ${isDone ? "gone" : "would go"}`}`;
  return `${name}: a new ${words} ${isDone ? "is" : "would be"} used from ${rfc3339(since)} on; ${others}.`;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { help, yes, cursor, vapid, "drop-old": dropOld, "dry-run": dryRun } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  const stage = stageOf(values, "rotate");
  const asked = { cursor, vapid };
  const kinds = KEY_KIND_NAMES.filter((kind) => cursor === vapid || asked[kind]);
  return withClients(stage.region, async (clients) => {
    await requireStack(clients, stage, await accountOf(clients));
    if (!dryRun && !yes) {
      if (!isTerminal())
        throw new UserError(`To change keys of ${stage.stage} without a question give --yes.`);
      const what = kinds.map((kind) => KEY_KINDS[kind].words).join(" and the ");
      if (!(await promptYesNo(`Give the ${stage.words} a new ${what}?`))) {
        throw new UserError("Nothing has been changed.");
      }
    }
    const now = Date.now();
    for (const kind of kinds) {
      console.log(told(await rotate(clients, stage, kind, { now, dropOld, dryRun }), !dryRun));
    }
    if (dryRun) console.log("Nothing has been changed.");
    return 0;
  });
};

await runCommand(main);
