/**
 * The rules of aliases and of search words before decision 96, by which keys of tables were made. They must not change: the
 * keys that today's rules make of the same names must be these.
 */
import unhomoglyph from "unhomoglyph";

const foldOnce = (alias: string): string =>
  alias
    .replaceAll("\u2019", "'")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");

const foldAlias = (alias: string): string => {
  let folded = foldOnce(alias);
  for (let next = foldOnce(folded); next !== folded; next = foldOnce(folded)) folded = next;
  return folded;
};

const skeleton = (text: string): string => unhomoglyph(text.normalize("NFD")).normalize("NFD");
const foldedSkeleton = (text: string): string => foldAlias(skeleton(text));

/** The keys of an alias: the folded form first, then those of what looks like it. */
export const keysBefore = (alias: string): string[] => {
  const upper = skeleton(foldAlias(alias).toUpperCase());
  const looks = [
    ...[foldAlias(alias), foldedSkeleton(alias.normalize("NFKC")), foldedSkeleton(alias)].map(foldedSkeleton),
    ...(upper === upper.toUpperCase() ? [] : [upper]),
  ];
  return [foldAlias(alias), ...new Set(looks)];
};

/** Whether an alias was valid. */
export const wasValid = (alias: string): boolean => {
  const characters = [...alias];
  const isValid = characters.every((character, at) => {
    const [before, after] = [characters[at - 1], characters[at + 1]];
    if (/^[ _.'-]$/.test(character))
      return before !== undefined && after !== undefined && !/^[ _.'-]$/.test(before);
    if (/^[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]$/u.test(character)) return false;
    if (/^\p{M}$/u.test(character)) return before !== undefined && !/^[ _.'-]$/.test(before);
    return /^[\p{L}\p{Nd}]$/u.test(character);
  });
  const folded = [...foldAlias(alias)].length;
  return (
    alias === alias.trim().replaceAll("\u2019", "'").normalize("NFC") &&
    characters.length >= 2 &&
    characters.length <= 30 &&
    !/.(?:[\p{Mn}\p{Me}]{4}|\p{M}{7})/su.test(alias) &&
    folded >= 2 &&
    folded <= 60 &&
    isValid
  );
};

/** The fields by which players are found. */
export interface Named {
  alias: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

const foldedWords = (text: string): string[] =>
  foldAlias(text)
    .split(/[\s_.-]+/)
    .filter(Boolean);
const plainWord = (folded: string): string => folded.normalize("NFD").replaceAll(/\p{Mn}/gu, "");
const wordsOf = (text: string): string[] => foldedWords(text).map(plainWord).filter(Boolean);

/** The words of a player that were stored. */
export const wordsBefore = ({ alias, first_name, last_name, email }: Named): Map<string, boolean> => {
  const [first = "", ...others] = foldedWords(alias);
  const start = plainWord(first) === first ? [] : [plainWord(first)];
  const forAll = [...start, ...others.map(plainWord), ...wordsOf(first_name ?? "")].filter(Boolean);
  const ofMasters = [...wordsOf(last_name ?? ""), ...wordsOf(email ?? "")];
  return new Map(
    [
      ...new Map([
        ...ofMasters.map((word) => [word, true] as const),
        ...forAll.map((word) => [word, false] as const),
      ]),
    ].slice(0, 12),
  );
};

/** Whether a search found a player. */
export const wasFound = (search: string, { alias, first_name, last_name, email }: Named): boolean => {
  const words = [alias, first_name, last_name, email].flatMap((text) => wordsOf(text ?? ""));
  return wordsOf(search).every((word) => words.some((one) => one.startsWith(word)));
};

/** The form in which an address was compared, of which its hash was made. */
export const addressBefore = (email: string): string => email.trim().normalize("NFKC").toLowerCase();

/** The addresses that were accepted. */
export const ADDRESS_BEFORE =
  /^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
