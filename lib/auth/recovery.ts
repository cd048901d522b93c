/** Recovery codes: with one, given by a game master, a player sets a new password once. */
import { createHash, randomInt } from "node:crypto";
import { makeLetters, normalizeTagCode } from "../domain/tagCode.ts";
import { HOUR, SECOND } from "../domain/time.ts";
import type { Put, Write } from "../dynamodb/database.ts";
import type { Recovery } from "../store/items.ts";
import { keys } from "../store/keys.ts";

/** How long a code is good for, in milliseconds. */
const GOOD_FOR = HOUR;
/** 28 letters of an alphabet of 31 are 138 random bits. */
const LETTERS = 28;
const GROUP = /.{4}(?=.)/g;

// The code is as random as a key: a fast hash is no easier to guess from than the code itself.
const hashOf = (code: string): string =>
  createHash("sha256").update(normalizeTagCode(code)).digest("base64url");

/** A new code in groups of four, and the write that puts it in the place of any before it. */
export const newRecovery = (
  playerId: string,
  before: Recovery | null,
  now: number,
): { code: string; expiresAt: number; write: Put } => {
  const letters = makeLetters(LETTERS, () => randomInt(256));
  const expires = Math.floor((now + GOOD_FOR) / SECOND);
  return {
    code: letters.replaceAll(GROUP, "$&-"),
    expiresAt: expires * SECOND,
    write: {
      put: { ...keys.recovery(playerId), rev: (before?.rev ?? 0) + 1, hash: hashOf(letters), expires },
      expect: before === null ? "absent" : { rev: before.rev },
    },
  };
};

/** Whether a code is the one that was issued last, and still good. */
export const isValidRecoveryCode = (code: string, recovery: Recovery | null, now: number): boolean =>
  recovery !== null && recovery.expires * SECOND > now && recovery.hash === hashOf(code);

/** The write that uses a code up: of two who redeem it at once, one finds it gone. */
export const redeemRecoveryCode = (playerId: string, { rev }: Recovery): Write => ({
  remove: keys.recovery(playerId),
  expect: { rev },
});
