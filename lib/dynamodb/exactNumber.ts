/** Converts numbers of the database without loss of precision. */

const EXACT_DIGITS = 15;

/** A number of the database: as a JavaScript number if that is exact, otherwise as the text. */
export const exactNumber = (text: string): number | string => {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return text;
  const digits = text.replace(/e.*$/i, "").replaceAll(/[^\d]/g, "").replace(/^0+/, "");
  return digits.length <= EXACT_DIGITS || String(value) === text ? value : text;
};
