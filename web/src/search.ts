/** How names are found by what somebody types. */

/** The letters of a text without case and accents. */
export const foldText = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");

/** Whether each word of a query occurs in a folded text. An empty query matches all. */
export const foldedMatcher = (query: string): ((text: string) => boolean) => {
  const words = foldText(query).split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
};

/** The same for a name as it is. */
export const textMatcher = (query: string): ((name: string) => boolean) => {
  const isMatch = foldedMatcher(query);
  return (name) => isMatch(foldText(name));
};
