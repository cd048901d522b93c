/** Writes `JOIN_CODE` into the settings of a deployment's game. Registration needs a code even before that. */
import { type Seeding, seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { openStore } from "../../lib/store/store.ts";
import { UserError } from "../cli/userError.ts";
import { explainAwsError } from "../cloud/awsErrors.ts";
import type { Stage } from "../cloud/stage.ts";
import { functionsOf, type StoredDeployments } from "./stored.ts";

const MESSAGES: Record<Seeding, string | null> = {
  written: "JOIN_CODE is now a join code of the game. Game masters can change it on the settings page.",
  there: null,
  ignored:
    "Note: JOIN_CODE is ignored, because the game has its own setting. Game masters can change it on the settings page.",
};

/** The code in the environment of the functions that run, where earlier versions had it; empty for none. */
const codeInEnvironment = ({ running }: StoredDeployments): string => {
  const [code = ""] = functionsOf(running.template).map(
    ({ Environment }) => Environment?.Variables.JOIN_CODE,
  );
  return typeof code === "string" ? code : "";
};

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;

/**
 * Writes the join code of a deployment's settings into its game, unless the game has its own setting.
 * @param given empty for none: then an update keeps the code of an earlier version, so that nothing opens unnoticed
 * @throws UserError if the table cannot be written
 */
export const writeJoinCode = async (
  stage: Stage,
  given: string,
  stored: StoredDeployments | null,
): Promise<void> => {
  const code = given !== "" || stored === null ? given : codeInEnvironment(stored);
  if (code === "") return;
  try {
    const seeding = await seedJoinCode(openStore(openDatabase({ table: stage.name })), code, Date.now());
    const message = MESSAGES[seeding];
    if (message !== null) console.log(message);
  } catch (error) {
    const what = `write JOIN_CODE into the table ${stage.name}`;
    const explained = explainAwsError(causeOf(error), what, stage.region);
    if (!(explained instanceof UserError)) throw explained;
    throw new UserError(
      `${explained.message}\nJOIN_CODE is not in the settings of the game yet. Deploy again: npm run deploy -- ${stage.options}`,
    );
  }
};
