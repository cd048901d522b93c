/** Aliases: what players are called, and when two of them are the same name. */

/** Letters and digits of any script, with the marks that some scripts need; inside also space _ - and dot. */
const SHAPE = /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}]|[ _.-](?=[\p{L}\p{Nd}]))*$/u;

/** So many marks on one letter that it grows out of its line are no name. */
const TOO_MANY_MARKS = /\p{M}{4}/u;

/** Letters that are drawn as nothing at all. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

export const ALIAS_LENGTH = { min: 3, max: 30 };

/** The form in which an alias is kept and shown. */
export const normalizeAlias = (alias: string): string => alias.normalize("NFC");

const foldOnce = (alias: string): string =>
  alias
    .normalize("NFKC")
    // through upper case, as full case folding does: ß and ss are one
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");

/**
 * The form in which aliases are compared: compatibility forms and case are folded away (contract,
 * "aliases"). Folding twice changes nothing.
 */
export const foldAlias = (alias: string): string => {
  let folded = foldOnce(alias);
  for (let again = foldOnce(folded); again !== folded; again = foldOnce(folded)) folded = again;
  return folded;
};

/** Whether two aliases are the same name, however they are written. */
export const isSameAlias = (one: string, other: string): boolean => foldAlias(one) === foldAlias(other);

/** What is wrong with an alias, as a sentence; `null` when nothing is. */
export const aliasError = (written: string, min = ALIAS_LENGTH.min): string | null => {
  const { max } = ALIAS_LENGTH;
  const alias = normalizeAlias(written);
  const length = [...alias].length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!SHAPE.test(alias) || INVISIBLE.test(alias) || TOO_MANY_MARKS.test(alias)) {
    return "may have only letters and digits, with a space, _ - or . between them";
  }
  // A few letters stand for whole phrases; folded they must still fit into a key of the table.
  const folded = [...foldAlias(alias)].length;
  if (folded < min || folded > 2 * max) return "has letters that stand for too many others, or for too few";
  return null;
};
