/** A change of password, authorized by the current password or by a recovery code, which it uses up. */
import type { Throttles } from "../domain/backoff.ts";
import type { Player } from "../domain/players/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential, Recovery } from "../store/accounts/accountItems.ts";
import { emailHash } from "../store/accounts/emails.ts";
import type { Store } from "../store/store.ts";
import { endedPushWrites, type NewSession, passwordWrites } from "./login.ts";
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
  /** Whether the code was mailed to the address that the player has. */
  confirmsAddress?: boolean;
}

interface Change {
  player: Player;
  confirmsAddress: boolean;
  writes: Write[];
  /** The session that a recovery code opens. */
  opened: NewSession | null;
}

/** Whether a code was mailed to no address, or to the one that the player still has. */
const isForAddress = ({ email_hash }: Recovery, { email }: Player): boolean =>
  email_hash === undefined || (email !== null && emailHash(email) === email_hash);

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
      !isValidRecoveryCode(code, recovery, now) ||
      !isForAddress(recovery, player)
    ) {
      throw badRecoveryCode();
    }
    const confirmsAddress = recovery.email_hash !== undefined;
    return { player, credential, redemption: redeemRecoveryCode(id, recovery), confirmsAddress };
  };

  return async (context: LoginContext): Promise<Change> => {
    const { recovery_code: code, device_token: givenDevice } = request;
    const authorized: Authorized = code === undefined ? await check(context) : await byCode(context, code);
    const { player, credential, redemption, confirmsAddress = false } = authorized;
    hash ??= await hashPassword(request.new_password, cost);
    const success = { context: { ...context, player, credential }, clientAddress, givenDevice, now };
    const { writes, opened } = passwordWrites(success, hash, throttles, redemption);
    const ended = await endedPushWrites(store, context.id);
    return { player, confirmsAddress, writes: [...writes, ...ended], opened };
  };
};
