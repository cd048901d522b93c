/** `npm run create-admin`: creates a game master, locally or in a deployment. */
import { createAdministrator, promoteToAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { aliasIssue } from "../../lib/domain/accounts/aliasRules.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { requireNoImport } from "../archive/write.ts";
import { runCommand } from "../cli/command.ts";
import { isTerminal, promptYesNo, readNewPassword } from "../cli/prompt.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { explainAwsError as explainedByAws } from "../cloud/awsErrors.ts";
import { STAGE_HELP, STAGE_OPTIONS, stageOf } from "../cloud/stage.ts";
import { openLocal } from "../local/openLocal.ts";
import { readSettings } from "../local/settings.ts";

const HELP = `Creates a game master: an account with administrator rights.

  npm run create-admin -- --alias NAME [--playing] [--yes] [--dry-run] [--stage STAGE [--region REGION]]

  --alias NAME     the alias of the account; an existing player is promoted after a prompt, and an existing
                   administrator stays unchanged
  --playing        the new account is a human who plays; the default is a spectator
  --yes            promotes an existing player without a prompt
  --dry-run        shows what would be done, and changes nothing
${STAGE_HELP}
                   without a stage: the local game of PORT and GAME_FILE, from the environment or .env

At a terminal, the command prompts for the password. Otherwise it reads the password from standard input.
`;

const OPTIONS = {
  alias: { type: "string" },
  playing: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  ...STAGE_OPTIONS,
  "dry-run": { type: "boolean", default: false },
} as const;

interface Target {
  services: Services;
  /** Describes in messages where the account is created. */
  name: string;
  /** The AWS region; undefined on this machine. */
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
    throw new UserError(`${alias} already exists. Give --yes to make that account an administrator.`);
  }
  if (!isSure && !(await promptYesNo(`${alias} already exists. Make that account an administrator?`))) {
    throw new UserError("Nothing has been changed.");
  }
  const promoted = await promoteToAdministrator(
    services,
    { alias },
    commandContext(services, services.clock()),
  );
  console.log(
    `${promoted.alias} is now an administrator. The password and the state in the game are unchanged.`,
  );
};

/** @throws UserError if the alias is invalid */
const requireAlias = (alias: string): void => {
  const issue = aliasIssue(alias);
  if (issue === null) return;
  const suggestion = issue.params?.suggestion;
  const hint = suggestion === undefined ? "" : ` "${suggestion}" would be one.`;
  throw new UserError(`The alias ${alias} ${issue.message}.${hint}`);
};

const create = async ({ services }: Target, alias: string, playing: boolean): Promise<void> => {
  const password = await readNewPassword(alias);
  const context = commandContext(services, services.clock());
  const created = await createAdministrator(services, { alias, password, playing }, context);
  const part = playing ? "who plays as a human" : "who does not play";
  console.log(`${created.alias} is an administrator ${part}, with the id ${created.player_id}.`);
};

/**
 * Converts an error that the user can fix to a {@link UserError}: a rejected alias or password, a missing table, or a
 * database that cannot be reached. Returns any other error.
 */
const explained = (error: unknown, target: Target): unknown => {
  if (error instanceof DomainError) return new UserError(error.detail);
  if (!(error instanceof Error)) return error;
  if (error.name === "ResourceNotFoundException")
    return new UserError(`There is no ${target.name.replace(/^the /, "")}. Deploy it first.`);
  if (target.region !== undefined)
    return explainedByAws(error.cause ?? error, `work on ${target.name}`, target.region);
  return error.name === "DatabaseBusy"
    ? new UserError(`Cannot reach ${target.name}: ${messageOf(error.cause ?? error)}`)
    : error;
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const { alias, playing, yes, stage, region, "dry-run": dryRun } = values;
  if (alias === undefined)
    throw new UserError("The option --alias is missing, as in: npm run create-admin -- --alias gm");
  if (region !== undefined && stage === undefined) throw new UserError("--region needs --stage.");
  const target = stage === undefined ? await openHere() : openStage({ stage, region });
  try {
    const { store } = target.services;
    await requireNoImport({ db: store.db, name: target.name });
    const existing = await store.playerByAlias(alias);
    if (existing?.is_admin === true) {
      console.log(
        `${existing.alias} is already an administrator in ${target.name}. Nothing has been changed, including the password.`,
      );
      return 0;
    }
    // Checked before the user enters a password.
    if (existing === null) requireAlias(alias);
    if (dryRun) {
      const what =
        existing === null ? `${alias} would be created as` : `${existing.alias} exists and would become`;
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
});
