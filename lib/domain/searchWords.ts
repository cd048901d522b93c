/** The words by which those who run the game find players. */
import { foldAlias } from "./alias.ts";
import type { StoredPlayer } from "./player.ts";

/** What a player can be found by; moderators see no last name and no address. */
type Named = Pick<StoredPlayer, "alias" | "first_name" | "last_name" | "email">;

/** The words of a text, folded as aliases are. */
export const foldedWords = (text: string): string[] =>
  foldAlias(text)
    .split(/[\s_.-]+/)
    .filter(Boolean);

/** A word without accents, which people leave out. */
export const plainWord = (folded: string): string => folded.normalize("NFD").replaceAll(/\p{Mn}/gu, "");

const wordsOf = (text: string): string[] => foldedWords(text).map(plainWord).filter(Boolean);

/** Makes the check whether each word of a search begins a word of a player's alias, names or address. */
export const searchFor = (search: string) => {
  const wanted = wordsOf(search);
  return ({ alias, first_name, last_name, email }: Named): boolean => {
    const words = [alias, first_name, last_name, email].flatMap((text) => wordsOf(text ?? ""));
    return wanted.every((word) => words.some((one) => one.startsWith(word)));
  };
};

const MAX_WORDS = 12;

/**
 * The words of a player that are stored for searches. An alias that begins without accents is found in the roster.
 * @returns whether each of them is for administrators alone
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
