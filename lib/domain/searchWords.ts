/** The words by which game masters and moderators find players. */
import { foldAlias } from "./alias.ts";
import type { StoredPlayer } from "./player.ts";

/** The fields by which a player can be found. Moderators do not see last names and e-mail addresses. */
type Named = Pick<StoredPlayer, "alias" | "first_name" | "last_name" | "email">;

/** The words of a text, folded as aliases are. */
const foldedWords = (text: string): string[] =>
  foldAlias(text)
    .split(/[\s_.-]+/)
    .filter(Boolean);

/** A word without accents, because people often leave them out. */
const plainWord = (folded: string): string => folded.normalize("NFD").replaceAll(/\p{Mn}/gu, "");

/** The words of a text by which players are found: folded as aliases are, and without accents. */
export const wordsOf = (text: string): string[] => foldedWords(text).map(plainWord).filter(Boolean);

/** Returns the test of a search: each of its words begins a word of the player's alias, names or e-mail address. */
export const searchFor = (search: string) => {
  const wanted = wordsOf(search);
  return ({ alias, first_name, last_name, email }: Named): boolean => {
    const words = [alias, first_name, last_name, email].flatMap((text) => wordsOf(text ?? ""));
    return wanted.every((word) => words.some((one) => one.startsWith(word)));
  };
};

const MAX_WORDS = 12;

/**
 * The words of a player that are stored for searches. The first word of an alias is stored only if it has accents:
 * without them, the roster, which is sorted by alias, finds it.
 * @returns the words, each with whether only administrators may search by it
 */
export const storedWords = ({ alias, first_name, last_name, email }: Named): Map<string, boolean> => {
  const [first = "", ...others] = foldedWords(alias);
  const start = plainWord(first) === first ? [] : [plainWord(first)];
  const forAll = [...start, ...others.map(plainWord), ...wordsOf(first_name ?? "")].filter(Boolean);
  const ofMasters = [...wordsOf(last_name ?? ""), ...wordsOf(email ?? "")];
  const words = new Map([
    ...ofMasters.map((word) => [word, true] as const),
    ...forAll.map((word) => [word, false] as const),
  ]);
  return new Map([...words].slice(0, MAX_WORDS));
};
