/** A change of password: allowed by the password before, or by a recovery code that it uses up. */
import type { Throttles } from "../domain/backoff.ts";
import type { Player } from "../domain/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import { type NewSession, passwordWrites } from "./login.ts";
import { badCredentials, type LoginContext, passwordChecker } from "./loginAttempts.ts";
import { type HashCost, hashPassword } from "./password.ts";
import type { ClientAddress } from "./rateLimit.ts";
import { isValidRecoveryCode, redeemRecoveryCode } from "./recovery.ts";

interface Wanted {
  current_password?: string | undefined;
  recovery_code?: string | undefined;
  new_password: string;
  device_token?: string | null | undefined;
}

interface Allowed {
  player: Player;
  credential: Credential;
  redemption?: Write;
}

/** Whose password changes, what is written, and the session that a recovery code opens. */
interface Change {
  player: Player;
  writes: Write[];
  opened: NewSession | null;
}

/**
 * Makes what judges a change of password, to be called again when something has moved; hashes are worked out
 * once. It throws the DomainError `bad_credentials`.
 */
export const passwordChange = (
  { store, cost, throttles }: { store: Store; cost: HashCost; throttles: Throttles },
  wanted: Wanted,
  clientAddress: ClientAddress,
  now: number,
) => {
  const check = passwordChecker(wanted.current_password ?? "", cost);
  let hash: string | undefined;

  const byCode = async ({ id, player, credential }: LoginContext, code: string): Promise<Allowed> => {
    // Read for an alias that nobody has, too: the same work.
    const recovery = await store.recovery(id);
    if (
      player === null ||
      credential === null ||
      recovery === null ||
      !isValidRecoveryCode(code, recovery, now)
    ) {
      throw badCredentials();
    }
    return { player, credential, redemption: redeemRecoveryCode(id, recovery) };
  };

  return async (context: LoginContext): Promise<Change> => {
    const { recovery_code: code, device_token: givenDevice } = wanted;
    const allowed: Allowed = code === undefined ? await check(context) : await byCode(context, code);
    const { player, credential, redemption } = allowed;
    hash ??= await hashPassword(wanted.new_password, cost);
    const success = { context: { ...context, player, credential }, clientAddress, givenDevice, now };
    return { player, ...passwordWrites(success, hash, throttles, redemption) };
  };
};
