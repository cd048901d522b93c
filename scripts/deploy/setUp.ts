/** Prints the address that makes whoever opens it the first game master of a deployment. */
import { makeSetUpSecret } from "../../lib/app/accounts/setUp.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { openStore } from "../../lib/store/store.ts";
import { paths } from "../../web/src/paths.ts";
import type { Stage } from "../cloud/stage.ts";

/**
 * What to do to get a game master; `null` if there is one. If the table cannot be used, a first deploy still says how:
 * nothing else has failed.
 */
export const setUpStep = async (stage: Stage, url: string, isFirst: boolean): Promise<string | null> => {
  try {
    const secret = await makeSetUpSecret(openStore(openDatabase({ table: stage.name })));
    return secret === null ? null : `Become the game master:    ${url}${paths.setUpWith(secret)}`;
  } catch {
    return isFirst ? `Create a game master:      npm run create-admin -- --alias gm ${stage.options}` : null;
  }
};
