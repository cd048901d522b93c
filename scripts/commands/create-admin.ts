/** `npm run create-admin`: makes a game master, locally or in a deployment. */
import { parseArgs } from "node:util";
import { createAdministrator, gameMasterAliasFault, promote } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { isTerminal, promptYesNo, readNewPassword } from "../cli/prompt.ts";
import { messageOf, runCommand, UserError } from "../cli/userError.ts";
import { explainAwsError as explainedByAws } from "../cloud/awsErrors.ts";
import { STAGE_HELP, STAGE_OPTIONS, stageOf } from "../cloud/stage.ts";
import { openLocal } from "../local/openLocal.ts";
import { readSettings } from "../local/settings.ts";

const HELP = `Makes a game master: an account with the administrator's right.

  npm run create-admin -- --alias NAME [--playing] [--yes] [--dry-run] [--stage STAGE [--region REGION]]

  --alias NAME     what the account is called; a player of that name is promoted, after a question, and one who is an
                   administrator already stays as they are
  --playing        a human who plays; otherwise a spectator
  --yes            promotes without a question
  --dry-run        says what would be done, and changes nothing
${STAGE_HELP}
                   without a stage: on this machine, in the game of the same PORT and GAME_FILE

The password is asked for at a terminal, and read from standard input otherwise.
`;

const OPTIONS = {
  alias: { type: "string" },
  playing: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

interface Target {
  services: Services;
  /** Where the account is made, in words. */
  name: string;
  /** Where AWS is asked; absent on this machine. */
  region?: string;
  close: () => Promise<void>;
}

const openStage = (given: { stage: string; region: string | undefined }): Target => {
  const { name, region } = stageOf(given, "create-admin");
  return {
    services: makeServices(parseEnv({ TABLE_NAME: name })),
    name: `the table ${name} in ${region}`,
    region,
    close: async () => {},
  };
};

const openHere = async (): Promise<Target> => {
  const { settings, close } = await openLocal(readSettings());
  process.env.AWS_REGION = settings.AWS_REGION;
  return { services: makeServices(parseEnv(settings)), name: "the local game", close };
};

const promoteExisting = async ({ services }: Target, alias: string, isSure: boolean): Promise<void> => {
  if (!isSure && !isTerminal()) {
    throw new UserError(`${alias} exists: give --yes to make that account an administrator.`);
  }
  if (!isSure && !(await promptYesNo(`${alias} exists. Make that account an administrator?`))) {
    throw new UserError("Nothing has been changed.");
  }
  const promoted = await promote(services, { alias });
  console.log(
    `${promoted.alias} is an administrator now, with the password and the part in the game as before.`,
  );
};

/** @throws UserError when no account can have this alias */
const requireAlias = (alias: string): void => {
  const fault = gameMasterAliasFault(alias);
  if (fault !== null) throw new UserError(`The alias ${alias} ${fault}.`);
};

const create = async ({ services }: Target, alias: string, playing: boolean): Promise<void> => {
  const password = await readNewPassword(alias);
  const moment = commandContext(services, services.clock());
  const created = await createAdministrator(services, { alias, password, playing }, moment);
  const part = playing ? "who plays as a human" : "who does not play";
  console.log(`${created.alias} is an administrator ${part}, with the id ${created.player_id}.`);
};

/** Faults of the way to the database, which are the caller's to mend; others are told with their stack. */
const explained = (error: unknown, target: Target): unknown => {
  if (error instanceof DomainError) return new UserError(error.detail);
  if (!(error instanceof Error)) return error;
  if (error.name === "ResourceNotFoundException")
    return new UserError(`There is no ${target.name.replace(/^the /, "")}: deploy it first.`);
  if (target.region !== undefined)
    return explainedByAws(error.cause ?? error, `work on ${target.name}`, target.region);
  return error.name === "DatabaseBusy"
    ? new UserError(`Cannot reach ${target.name}: ${messageOf(error.cause ?? error)}`)
    : error;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { alias, playing, yes, stage, region, help, "dry-run": dryRun } = values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (alias === undefined) throw new UserError("Which alias? npm run create-admin -- --alias gm");
  if (region !== undefined && stage === undefined) throw new UserError("--region goes with --stage.");
  const target = stage === undefined ? await openHere() : openStage({ stage, region });
  try {
    const existing = await target.services.store.playerByAlias(alias);
    if (existing?.is_admin === true) {
      console.log(
        `${existing.alias} is an administrator in ${target.name} already. Nothing has been changed, nor has the password.`,
      );
      return 0;
    }
    // Before anybody types a password for it.
    if (existing === null) requireAlias(alias);
    if (dryRun) {
      const what =
        existing === null ? `${alias} would be made, as` : `${existing.alias} exists, and would be made`;
      console.log(`${what} an administrator in ${target.name}. Nothing has been changed.`);
      return 0;
    }
    await (existing === null ? create(target, alias, playing) : promoteExisting(target, existing.alias, yes));
    return 0;
  } catch (error) {
    throw explained(error, target);
  } finally {
    await target.close();
  }
};

await runCommand(main);
