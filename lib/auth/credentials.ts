/** Writes of a player's credential: its password hash, known devices and known addresses. */
import { type Throttles, withSuccessfulLogin } from "../domain/backoff.ts";
import { invalidRequest } from "../domain/domainError.ts";
import { instantOf } from "../domain/time.ts";
import type { Put } from "../dynamodb/database.ts";
import type { Credential } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";
import { addressDigest, rememberAddress, rememberDevice } from "./devices.ts";
import { isSameAsAlias } from "./password.ts";
import type { ClientAddress } from "./rateLimit.ts";

/** Rejects a password that equals the alias. @throws DomainError `invalid_request` */
export const requireOtherThanAlias = (password: string, alias: string, path = "password"): void => {
  if (isSameAsAlias(password, alias)) throw invalidRequest({ path, message: "must not be the alias" });
};

export const credentialWrite = (playerId: string, read: Credential | null, hash: string): Put => ({
  // Drops `expires`, which only the failures of an unknown alias have, and with a new password `invited`.
  put: {
    ...keys.credential(playerId),
    ...read,
    expires: undefined,
    invited: hash === read?.hash ? read.invited : undefined,
    rev: (read?.rev ?? 0) + 1,
    hash,
  },
  expect: read === null ? "absent" : { rev: read.rev },
});

/** Whether a ban of the account is in force. @param now milliseconds since 1970 */
export const isBanned = ({ ban }: Pick<Credential, "ban">, now: number): boolean =>
  ban !== undefined && (ban.until === null || now < instantOf(ban.until));

/** The origin of a successful attempt. */
export interface LoginOrigin {
  clientAddress: ClientAddress;
  /** The token of the device, which is then known. */
  deviceToken?: string | undefined;
  now: number;
}

/**
 * The credential after a successful attempt: the failures of its origin are cleared, and device and address are known.
 */
const afterSuccess = (
  credential: Credential,
  { clientAddress, deviceToken, now }: LoginOrigin,
  throttles: Throttles,
): Credential => {
  const from = addressDigest(clientAddress);
  return {
    ...credential,
    ...withSuccessfulLogin(credential, from, now, throttles),
    addresses: rememberAddress(credential.addresses ?? [], from, now),
    ...(deviceToken === undefined ? {} : { devices: rememberDevice(credential, deviceToken, now) }),
  };
};

/**
 * The write of a successful attempt, on condition that the credential is unchanged. This serializes concurrent attempts.
 */
export const successWrite = (
  id: string,
  credential: Credential,
  at: LoginOrigin,
  throttles: Throttles,
  hash = credential.hash,
): Put => credentialWrite(id, afterSuccess(credential, at, throttles), hash);
