/** Writes of a player's credential: the password hash, known devices and known addresses. */
import { type Throttles, withSuccessfulLogin } from "../domain/backoff.ts";
import { invalid } from "../domain/domainError.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import { rememberAddress, rememberDevice } from "./devices.ts";
import { addressDigest } from "./loginAttempts.ts";
import { isSameAsAlias } from "./password.ts";
import type { ClientAddress } from "./rateLimit.ts";

/** Passes for a password that is not just the alias. @throws DomainError `invalid_request` */
export const requireOtherThanAlias = (password: string, alias: string, path = "password"): void => {
  if (isSameAsAlias(password, alias)) throw invalid({ path, message: "must not be the alias" });
};

export const credentialWrite = (playerId: string, read: Credential | null, hash: string): Write => ({
  // A player's own never expires.
  put: { ...keys.credential(playerId), ...read, expires: undefined, rev: (read?.rev ?? 0) + 1, hash },
  expect: read === null ? "absent" : { rev: read.rev },
});

/** Where the right password, or code, was given. */
export interface LoginOrigin {
  clientAddress: ClientAddress;
  /** The token of the device, which is known from then on. */
  deviceToken?: string | undefined;
  now: number;
}

/** A credential whose password was just given: failures from there are forgotten, and the place is known. */
const asGiven = (
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
 * The write with which an attempt ends whose password was right. It takes place only while the credential is as read: of
 * attempts that are made at once one after the other is let through.
 */
export const successWrite = (
  id: string,
  credential: Credential,
  at: LoginOrigin,
  throttles: Throttles,
  hash = credential.hash,
): Write => credentialWrite(id, asGiven(credential, at, throttles), hash);
