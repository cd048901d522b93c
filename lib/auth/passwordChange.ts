/** A change of password: allowed by the password before, or by a recovery code that it uses up. */
import type { Player } from "../domain/player.ts";
import type { Write } from "../store/database.ts";
import type { Credential } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import { BAD_CREDENTIALS, type LoginScene, loginScene, passwordChecker, passwordWrites } from "./accounts.ts";
import { type Cost, hashPassword } from "./password.ts";
import { isRightCode, redeem } from "./recovery.ts";

interface Wanted {
  alias: string;
  current_password?: string | undefined;
  recovery_code?: string | undefined;
  new_password: string;
}

interface Allowed {
  player: Player;
  credential: Credential;
  redemption?: Write;
}

/** What a change comes to: whose it is, and what is written. */
interface PasswordChange {
  scene: { player: Player };
  writes: Write[];
}

/**
 * Makes an attempt at a change of password, to be called again when something has moved; hashes are worked
 * out once. The attempt throws the Refusal `bad_credentials`, having told `seen` whose password it was.
 */
export const passwordChange = (
  { store, cost }: { store: Store; cost: Cost },
  wanted: Wanted,
  now: number,
) => {
  const check = passwordChecker(wanted.current_password ?? "", cost);
  let hash: string | undefined;

  const byCode = async ({ player, credential }: LoginScene, code: string): Promise<Allowed> => {
    const recovery = player === null ? null : await store.recovery(player.player_id);
    if (player === null || credential === null || recovery === null || !isRightCode(code, recovery, now)) {
      throw BAD_CREDENTIALS();
    }
    return { player, credential, redemption: redeem(player.player_id, recovery) };
  };

  return async (seen: (scene: LoginScene) => void): Promise<PasswordChange> => {
    const scene = await loginScene(store, wanted.alias);
    seen(scene);
    const { recovery_code: code } = wanted;
    const allowed: Allowed = code === undefined ? await check(scene) : await byCode(scene, code);
    const { player, credential, redemption } = allowed;
    hash ??= await hashPassword(wanted.new_password, cost);
    return { scene: { player }, writes: passwordWrites(player.player_id, credential, hash, redemption) };
  };
};
