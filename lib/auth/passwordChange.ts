/** A change of password, authorized by the current password or by a recovery code, which it uses up. */
import type { Throttles } from "../domain/backoff.ts";
import type { Player } from "../domain/players/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential } from "../store/accounts/accountItems.ts";
import type { Store } from "../store/store.ts";
import { type NewSession, passwordWrites } from "./login.ts";
import { badRecoveryCode, type LoginContext, passwordChecker } from "./loginAttempts.ts";
import { type HashCost, hashPassword } from "./password.ts";
import type { ClientAddress } from "./rateLimit.ts";
import { isValidRecoveryCode, redeemRecoveryCode } from "./recovery.ts";

export interface PasswordChangeRequest {
  current_password?: string | undefined;
  recovery_code?: string | undefined;
  new_password: string;
  device_token?: string | null | undefined;
}

interface Authorized {
  player: Player;
  credential: Credential;
  redemption?: Write;
}

interface Change {
  player: Player;
  writes: Write[];
  /** The session that a recovery code opens. */
  opened: NewSession | null;
}

/**
 * Returns a function that makes the writes of the change. It can be called again after a conflict; it hashes only once.
 * It throws the DomainError `bad_credentials`.
 */
export const passwordChange = (
  { store, cost, throttles }: { store: Store; cost: HashCost; throttles: Throttles },
  request: PasswordChangeRequest,
  clientAddress: ClientAddress,
  now: number,
) => {
  const check = passwordChecker(request.current_password ?? "", cost);
  let hash: string | undefined;

  const byCode = async ({ id, player, credential }: LoginContext, code: string): Promise<Authorized> => {
    // Read even for an unknown alias, so that timing does not reveal it.
    const recovery = await store.recovery(id);
    if (
      player === null ||
      credential === null ||
      recovery === null ||
      !isValidRecoveryCode(code, recovery, now)
    ) {
      throw badRecoveryCode();
    }
    return { player, credential, redemption: redeemRecoveryCode(id, recovery) };
  };

  return async (context: LoginContext): Promise<Change> => {
    const { recovery_code: code, device_token: givenDevice } = request;
    const authorized: Authorized = code === undefined ? await check(context) : await byCode(context, code);
    const { player, credential, redemption } = authorized;
    hash ??= await hashPassword(request.new_password, cost);
    const success = { context: { ...context, player, credential }, clientAddress, givenDevice, now };
    return { player, ...passwordWrites(success, hash, throttles, redemption) };
  };
};
