/** Breaks texts of pictures into lines, on the device and in the service. */

/**
 * Breaks a text between words.
 * @param fits whether a line is not too long; a single word stays whole
 */
export const linesOf = (text: string, fits: (line: string) => boolean): string[] => {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};
