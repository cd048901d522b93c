/** Finds suggestions for misspelt names. */

/** The Levenshtein distance of two words (Wagner and Fischer, 1974). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (const [n, letter] of [...one].entries()) {
    let left = n + 1;
    row = row.map((above, at) => {
      if (at === 0) return left;
      const diagonal = row[at - 1] ?? 0;
      left = Math.min(left + 1, above + 1, diagonal + (letter === other[at - 1] ? 0 : 1));
      return left;
    });
  }
  return row.at(-1) ?? 0;
};

/** Returns the closest word, if at most half of the letters of the longer one differ; otherwise `null`. */
export const closestMatch = (word: string, words: readonly string[]): string | null => {
  const [best] = words
    .map((one) => ({ one, apart: distance(word, one) }))
    .filter(({ one, apart }) => apart <= Math.max(word.length, one.length) / 2)
    .toSorted((one, other) => one.apart - other.apart);
  return best?.one ?? null;
};
