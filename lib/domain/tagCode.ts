/** Tag codes: the secret that a human carries and gives up when tagged. */

/** 31 letters and digits; without 0 O 1 I L, which people mistake for one another. */
export const TAG_CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

export const TAG_CODE_LENGTH = 8;

/**
 * Letters of the alphabet from random bytes; a byte that would favour some of them is passed over.
 * @param randomByte gives a random number from 0 to 255 at each call
 */
export const makeLetters = (length: number, randomByte: () => number): string => {
  const fair = 256 - (256 % TAG_CODE_ALPHABET.length);
  let letters = "";
  while (letters.length < length) {
    const byte = randomByte();
    if (byte < fair) letters += TAG_CODE_ALPHABET.charAt(byte % TAG_CODE_ALPHABET.length);
  }
  return letters;
};

/** A tag code from random bytes. */
export const makeTagCode = (randomByte: () => number): string => makeLetters(TAG_CODE_LENGTH, randomByte);

/** A tag code as people write it, in its one form: upper case, without spaces and dashes of any kind. */
export const normalizeTagCode = (written: string): string =>
  written.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase();

/** Whether a normalized text can be a tag code at all. */
export const isTagCode = (code: string): boolean =>
  code.length === TAG_CODE_LENGTH && [...code].every((letter) => TAG_CODE_ALPHABET.includes(letter));
