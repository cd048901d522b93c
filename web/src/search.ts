/** How names are found by what somebody types. */

/** The letters of a text without case and accents. */
const folded = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");

/** Whether each word of a query occurs in a name. An empty query matches all. */
export const matching = (query: string): ((name: string) => boolean) => {
  const words = folded(query).split(/\s+/).filter(Boolean);
  return (name) => {
    const letters = folded(name);
    return words.every((word) => letters.includes(word));
  };
};
