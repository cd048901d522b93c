/**
 * Codes of rewards: nine random characters of the tag codes' alphabet and a check character. Nobody has them in mind: they
 * are printed, so a typing error is found before it is sent.
 */
import { isTagCode, makeLetters, normalizeTagCode, TAG_CODE_ALPHABET } from "../hunts/tagCode.ts";

export const REWARD_CODE_LENGTH = 10;

/**
 * The sum of the characters' values, each multiplied by its distance from the end, as in ISBN-10 (ISO 2108), with 31 in place
 * of 11: the number of the alphabet's characters, a prime. So it shows each single wrong character, and each swap of two.
 */
const weightedSum = (letters: string): number =>
  [...letters].reduce(
    (sum, letter, at) => sum + (REWARD_CODE_LENGTH - at) * TAG_CODE_ALPHABET.indexOf(letter),
    0,
  );

/** The character that makes the sum a multiple of 31. @param letters all but the last one */
const checkCharacter = (letters: string): string => {
  const { length } = TAG_CODE_ALPHABET;
  return TAG_CODE_ALPHABET.charAt((length - (weightedSum(letters) % length)) % length);
};

/** Makes a code. @param randomByte returns a random number from 0 to 255 */
export const makeRewardCode = (randomByte: () => number): string => {
  const letters = makeLetters(REWARD_CODE_LENGTH - 1, randomByte);
  return `${letters}${checkCharacter(letters)}`;
};

/** Whether a normalized text has the form of a reward's code, with the right check character. */
export const isRewardCode = (code: string): boolean =>
  code.length === REWARD_CODE_LENGTH &&
  [...code].every((letter) => TAG_CODE_ALPHABET.includes(letter)) &&
  weightedSum(code) % TAG_CODE_ALPHABET.length === 0;

/** What stands before the code in the address that the QR code of a sheet contains. Browsers send it to no service. */
export const IN_ADDRESS = "#code=";

/** A code as somebody has entered or scanned it. */
export interface EnteredCode {
  kind: "tag" | "reward";
  /** Normalized. */
  code: string;
}

/**
 * Tells a tag code from the code of a reward, by its length. Pages use it for what is typed and what a camera reads.
 * @param text the code with any spaces, dashes and case, or an address that ends with `#code=` and the code
 * @returns `null` if it is neither, such as one with a typing error
 */
export const readCode = (text: string): EnteredCode | null => {
  const code = normalizeTagCode(text.split(IN_ADDRESS).at(-1) ?? "");
  if (isTagCode(code)) return { kind: "tag", code };
  return isRewardCode(code) ? { kind: "reward", code } : null;
};
