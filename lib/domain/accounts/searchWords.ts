/** The words by which game masters and moderators find players. */
import type { StoredPlayer } from "../players/player.ts";
import { foldAlias, foldText } from "./alias.ts";
import { namesTogether, searchedWords, searchKeys, searchText } from "./searchText.ts";

/** The fields by which a player can be found. Moderators do not see last names and e-mail addresses. */
type Named = Pick<StoredPlayer, "alias" | "first_name" | "last_name" | "email">;

/**
 * The words of a text, folded as aliases are. These are the words that were stored before decision 96, and that are still
 * stored and searched so that players of earlier versions are found.
 */
const foldedWords = (text: string): string[] =>
  foldText(text)
    .split(/[\s_.-]+/)
    .filter(Boolean);

/** A word without accents. */
const plainWord = (folded: string): string => folded.normalize("NFD").replaceAll(/\p{Mn}/gu, "");

const earlierWords = (text: string): string[] => foldedWords(text).map(plainWord).filter(Boolean);

/** The words of an address, whose parts nobody writes together. */
const addressKeys = (email: string): string[] => email.split(/[_.-]+/).flatMap(searchKeys);

const keysOf = ({ alias, first_name, last_name, email }: Named): string[] => [
  ...[alias, first_name, last_name].flatMap((text) => searchKeys(text ?? "")),
  ...namesTogether(first_name, last_name).map(searchText),
  ...addressKeys(email ?? ""),
];

/** Returns the test of a search: each of its words begins a word of the player's alias, names or e-mail address. */
export const searchFor = (search: string) => {
  const wanted = searchedWords(search);
  return (player: Named): boolean => {
    if (wanted.length === 0) return true;
    const keys = keysOf(player);
    return wanted.every((word) => keys.some((key) => key.startsWith(word)));
  };
};

/** A word must fit into a key of the table, which has at most 1,024 bytes with the player's id. */
const MAX_LENGTH = 240;

/** The beginning of a word that is stored and looked up. Some characters stand for words of many letters. */
const keyOf = (word: string): string => [...word].slice(0, MAX_LENGTH).join("");

/** The words of a search in each form in which players may be stored: a player is found who has all words of one form. */
export const formsOfSearch = (search: string): string[][] => {
  const [current, earlier] = [searchedWords(search).map(keyOf), earlierWords(search).map(keyOf)];
  return current.join(" ") === earlier.join(" ") ? [current] : [current, earlier];
};

const MAX_WORDS = 12;

/**
 * The words of a player that are stored for searches. What the roster finds, which is sorted by alias, is not stored, nor
 * what begins another word.
 * @returns the words, each with whether only administrators may search by it
 */
export const storedWords = (player: Named): Map<string, boolean> => {
  const { alias, first_name, last_name, email } = player;
  const sorted = foldAlias(alias);
  const [first = "", ...others] = foldedWords(sorted);
  const start = plainWord(first) === first ? [] : [plainWord(first)];
  const forAll = [...start, ...others.map(plainWord), ...earlierWords(first_name ?? "")].filter(Boolean);
  const ofAdministrators = [...earlierWords(last_name ?? ""), ...earlierWords(email ?? "")];
  const earlier = new Map([
    ...ofAdministrators.map((word) => [word, true] as const),
    ...forAll.map((word) => [word, false] as const),
  ]);
  const words = new Map([...earlier].slice(0, MAX_WORDS).map(([word, hidden]) => [keyOf(word), hidden]));
  const add = (key: string, isOfMasters: boolean): void => {
    const word = keyOf(key);
    const isFound = [...words].some(([one, hidden]) => one.startsWith(word) && (isOfMasters || !hidden));
    if (!isFound && !sorted.startsWith(word) && (words.size < MAX_WORDS || words.has(word)))
      words.set(word, isOfMasters);
  };
  for (const key of [alias, first_name ?? ""].flatMap(searchKeys)) add(key, false);
  for (const key of searchKeys(last_name ?? "")) add(key, true);
  for (const key of namesTogether(first_name, last_name).map(searchText)) add(key, true);
  for (const key of addressKeys(email ?? "")) add(key, true);
  return words;
};
