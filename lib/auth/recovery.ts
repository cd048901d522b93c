/**
 * Recovery codes. A game master issues one, and the player uses it once to set a new password. Invitations are such
 * codes, too.
 */
import { randomInt } from "node:crypto";
import { makeLetters, normalizeTagCode } from "../domain/hunts/tagCode.ts";
import { DAY, HOUR, SECOND } from "../domain/time.ts";
import type { Put, Write } from "../dynamodb/database.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Recovery } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";

const VALID_FOR_MS = HOUR;
/** How long an invitation is valid. A mail may be read days later. */
export const INVITATION_MS = 14 * DAY;
/** 28 letters of an alphabet of 31 are 138 random bits. */
const LETTERS = 28;
const GROUP = /.{4}(?=.)/g;

// A fast hash is enough, because the code is as random as a key.
const hashCode = (code: string): string => sha256(normalizeTagCode(code));

/** The letters of a code. @param randomByte returns a random number from 0 to 255 */
export const recoveryLetters = (randomByte: () => number): string => makeLetters(LETTERS, randomByte);

/** Makes a code in groups of four, and the write that replaces the previous code. */
export const newRecovery = (
  playerId: string,
  before: Recovery | null,
  now: number,
  validForMs = VALID_FOR_MS,
  letters = recoveryLetters(() => randomInt(256)),
): { code: string; expiresAt: number; write: Put } => {
  const expires = Math.floor((now + validForMs) / SECOND);
  return {
    code: letters.replaceAll(GROUP, "$&-"),
    expiresAt: expires * SECOND,
    write: {
      put: { ...keys.recovery(playerId), rev: (before?.rev ?? 0) + 1, hash: hashCode(letters), expires },
      expect: before === null ? "absent" : { rev: before.rev },
    },
  };
};

/** Whether a code is the latest one and has not expired. */
export const isValidRecoveryCode = (code: string, recovery: Recovery | null, now: number): boolean =>
  recovery !== null && recovery.expires * SECOND > now && recovery.hash === hashCode(code);

/** The write that uses up a code. Of two concurrent requests only one succeeds. */
export const redeemRecoveryCode = (playerId: string, { rev }: Recovery): Write => ({
  remove: keys.recovery(playerId),
  expect: { rev },
});
