/** A change of password: allowed by the password before, or by a recovery code that it uses up. */
import type { Player } from "../domain/player.ts";
import type { Write } from "../store/database.ts";
import type { Credential } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import { passwordWrites } from "./accounts.ts";
import type { Source } from "./addresses.ts";
import { BAD_CREDENTIALS, type LoginScene, passwordChecker } from "./attempts.ts";
import { type Cost, hashPassword } from "./password.ts";
import { isRightCode, redeem } from "./recovery.ts";

interface Wanted {
  current_password?: string | undefined;
  recovery_code?: string | undefined;
  new_password: string;
}

interface Allowed {
  player: Player;
  credential: Credential;
  redemption?: Write;
}

/**
 * Makes what judges a change of password, to be called again when something has moved; hashes are worked out
 * once. It answers whose password changes and what is written, or throws the Refusal `bad_credentials`.
 */
export const passwordChange = (
  { store, cost }: { store: Store; cost: Cost },
  wanted: Wanted,
  from: Source,
  now: number,
) => {
  const check = passwordChecker(wanted.current_password ?? "", cost);
  let hash: string | undefined;

  const byCode = async ({ id, player, credential }: LoginScene, code: string): Promise<Allowed> => {
    // Read for an alias that nobody has, too: the same work.
    const recovery = await store.recovery(id);
    if (player === null || credential === null || recovery === null || !isRightCode(code, recovery, now)) {
      throw BAD_CREDENTIALS();
    }
    return { player, credential, redemption: redeem(id, recovery) };
  };

  return async (scene: LoginScene): Promise<{ player: Player; writes: Write[] }> => {
    const { recovery_code: code } = wanted;
    const allowed: Allowed = code === undefined ? await check(scene) : await byCode(scene, code);
    const { player, credential, redemption } = allowed;
    hash ??= await hashPassword(wanted.new_password, cost);
    return { player, writes: passwordWrites(scene.id, credential, { hash, from }, redemption) };
  };
};
