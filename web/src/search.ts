/** Text search without regard to case and accents. */

/** Returns a text in lower case and without accents. */
export const foldText = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");

/** Returns a predicate: whether a folded text contains every word of the query. An empty query matches everything. */
export const foldedMatcher = (query: string): ((text: string) => boolean) => {
  const words = foldText(query).split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
};

/** Like `foldedMatcher`, for texts that are not folded. */
export const textMatcher = (query: string): ((name: string) => boolean) => {
  const isMatch = foldedMatcher(query);
  return (name) => isMatch(foldText(name));
};
