/** Formats numbers, and text that is not trusted. */

/** Formats a number with thousands separators. */
export const formatNumber = (count: number): string => count.toLocaleString("en");

/** Formats a count with its noun: `1 item`, `1,234 items`. @param more the plural, if it is not formed with an `s` */
export const formatCount = (count: number, one: string, more = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : more}`;

const MAX_SHOWN = 60;

/**
 * Quotes untrusted text for the terminal. Control characters, escape sequences and direction marks are replaced by
 * their code points.
 */
export const quoteSafely = (text: string, mostShown = MAX_SHOWN): string => {
  const characters = [...text];
  const shown = characters
    .slice(0, mostShown)
    .map((one) =>
      /[\p{C}\p{Z}"\\]/u.test(one) && one !== " " ? `\\u{${one.codePointAt(0)?.toString(16)}}` : one,
    );
  return `"${shown.join("")}${characters.length > mostShown ? "…" : ""}"`;
};
