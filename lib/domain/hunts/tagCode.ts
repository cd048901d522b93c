/** Tag codes: the secret code of a human, which the hunter reports after a tag. */

/** 31 letters and digits, without 0, O, 1, I and L, which are easily confused. */
export const TAG_CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

export const TAG_CODE_LENGTH = 8;

/**
 * Makes random letters of the alphabet. Bytes that would make some letters more likely are skipped.
 * @param randomByte returns a random number from 0 to 255
 */
export const makeLetters = (length: number, randomByte: () => number): string => {
  const limit = 256 - (256 % TAG_CODE_ALPHABET.length);
  let letters = "";
  while (letters.length < length) {
    const byte = randomByte();
    if (byte < limit) letters += TAG_CODE_ALPHABET.charAt(byte % TAG_CODE_ALPHABET.length);
  }
  return letters;
};

/** Makes a tag code from random bytes. */
export const makeTagCode = (randomByte: () => number): string => makeLetters(TAG_CODE_LENGTH, randomByte);

/** Normalizes a tag code as people type it: upper case, without spaces and dashes. */
export const normalizeTagCode = (input: string): string => input.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase();

/** Whether a normalized text has the form of a tag code. */
export const isTagCode = (code: string): boolean =>
  code.length === TAG_CODE_LENGTH && [...code].every((letter) => TAG_CODE_ALPHABET.includes(letter));
