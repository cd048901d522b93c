/** Aliases: their rules, and when two of them count as the same name. */

/**
 * Letters and digits of any script, with the combining marks that some scripts need. Between them also space, _, - and
 * dot.
 */
const SHAPE = /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}]|[ _.-](?=[\p{L}\p{Nd}]))*$/u;

/** More than three combining marks on one letter overlap other lines of text. */
const TOO_MANY_MARKS = /\p{M}{4}/u;

/** Letters without a visible glyph. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

export const ALIAS_LENGTH = { min: 3, max: 30 };

/** The form in which an alias is stored and shown. */
export const normalizeAlias = (alias: string): string => alias.normalize("NFC");

const foldOnce = (alias: string): string =>
  alias
    .normalize("NFKC")
    // Through upper case, like full case folding: ß and ss become equal.
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");

/**
 * The form in which aliases are compared: without differences of case and compatibility forms (docs/api.md, "Fields").
 * Folding a folded alias changes nothing.
 */
export const foldAlias = (alias: string): string => {
  let folded = foldOnce(alias);
  for (let next = foldOnce(folded); next !== folded; next = foldOnce(folded)) folded = next;
  return folded;
};

/** Whether two aliases fold to the same name. */
export const isSameAlias = (one: string, other: string): boolean => foldAlias(one) === foldAlias(other);

/**
 * Checks an alias.
 * @param min the minimal number of characters
 * @returns the end of a sentence that begins with the field's name; `null` for a valid alias
 */
export const aliasError = (input: string, min = ALIAS_LENGTH.min): string | null => {
  const { max } = ALIAS_LENGTH;
  const alias = normalizeAlias(input);
  const length = [...alias].length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!SHAPE.test(alias) || INVISIBLE.test(alias) || TOO_MANY_MARKS.test(alias)) {
    return "may have only letters and digits, with a space, _ - or . between them";
  }
  // Some letters fold to whole phrases. The folded alias must still fit into a key of the table.
  const folded = [...foldAlias(alias)].length;
  if (folded < min || folded > 2 * max) return "is too long or too short when its letters are normalized";
  return null;
};
