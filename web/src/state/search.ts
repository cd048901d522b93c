/** Text search without regard to case and accents, by the rules of the service's own search, and the order of names. */
import { searchedWords, searchText } from "../../../lib/domain/accounts/searchText.ts";

const COLLATOR = new Intl.Collator();

/** Orders names as people look them up: accents stay beside their letter, which the order of the service puts after Z. */
export const compareNames = (one: string | null, other: string | null): number =>
  COLLATOR.compare(one ?? "", other ?? "");

/** Returns the text in which a search looks for its words, line by line. */
export const foldText = (text: string): string => text.split("\n").map(searchText).join("\n");

/** Returns a predicate: whether a folded text contains every word of the query. An empty query matches everything. */
export const foldedMatcher = (query: string): ((text: string) => boolean) => {
  const words = searchedWords(query);
  return (text) => words.every((word) => text.includes(word));
};

/** Like `foldedMatcher`, for texts that are not folded. */
export const textMatcher = (query: string): ((name: string) => boolean) => {
  const isMatch = foldedMatcher(query);
  return (name) => isMatch(foldText(name));
};
