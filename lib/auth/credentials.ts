/** Writes of a player's credential: the password hash, known devices and known addresses. */
import { succeeded, type Throttles } from "../domain/backoff.ts";
import { invalid } from "../domain/domainError.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import { withAddress, withDevice } from "./devices.ts";
import { markOf } from "./loginAttempts.ts";
import { isAlias } from "./password.ts";
import type { Source } from "./rateLimit.ts";

/** Passes for a password that is not just the alias. @throws Refusal `invalid_request` */
export const requireOtherThanAlias = (password: string, alias: string, path = "password"): void => {
  if (isAlias(password, alias)) throw invalid({ path, message: "must not be the alias" });
};

export const credentialWrite = (playerId: string, read: Credential | null, hash: string): Write => ({
  // A player's own never expires.
  put: { ...keys.credential(playerId), ...read, expires: undefined, rev: (read?.rev ?? 0) + 1, hash },
  expect: read === null ? "absent" : { rev: read.rev },
});

/** Where the right password, or code, was given. */
export interface GivenAt {
  source: Source;
  /** The token of the device, which is known from then on. */
  deviceToken?: string | undefined;
  now: number;
}

/** A credential whose password was just given: failures from there are forgotten, and the place is known. */
const asGiven = (
  credential: Credential,
  { source, deviceToken, now }: GivenAt,
  throttles: Throttles,
): Credential => {
  const from = markOf(source);
  return {
    ...credential,
    ...succeeded(credential, from, now, throttles),
    addresses: withAddress(credential.addresses ?? [], from, now),
    ...(deviceToken === undefined ? {} : { devices: withDevice(credential, deviceToken, now) }),
  };
};

/**
 * The write with which an attempt ends whose password was right. It takes place only while the credential is as read: of
 * attempts that are made at once one after the other is let through.
 */
export const givenWrite = (
  id: string,
  credential: Credential,
  at: GivenAt,
  throttles: Throttles,
  hash = credential.hash,
): Write => credentialWrite(id, asGiven(credential, at, throttles), hash);
