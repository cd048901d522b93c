/** Numbers as people read them, and texts that are safe to print. */

/** A number with its thousands apart. */
export const formatNumber = (count: number): string => count.toLocaleString("en");

/** So many of a thing: `1 item`, `1,234 items`. @param more the plural, where it is not formed with an `s` */
export const formatCount = (count: number, one: string, more = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : more}`;

const MOST_SHOWN = 60;

/**
 * A text that somebody else has written, in quotes, for a message at a terminal: characters that nobody sees, or that
 * change how the rest is shown (control characters, escape sequences, directions of writing), stand as their numbers.
 */
export const quoteSafely = (text: string): string => {
  const characters = [...text];
  const shown = characters
    .slice(0, MOST_SHOWN)
    .map((one) =>
      /[\p{C}\p{Z}"\\]/u.test(one) && one !== " " ? `\\u{${one.codePointAt(0)?.toString(16)}}` : one,
    );
  return `"${shown.join("")}${characters.length > MOST_SHOWN ? "…" : ""}"`;
};
