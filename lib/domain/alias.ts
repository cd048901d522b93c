/** Aliases: which ones are valid, and which two count as the same name. */

/** Letters and digits of any script. Combining marks may follow them, as some scripts need. */
const LETTER = /^[\p{L}\p{Nd}]$/u;

/** A separator, which may stand between two letters or digits. */
export const SEPARATOR = /^[ _.'-]$/;

const MARK = /^\p{M}$/u;

/**
 * Combining marks that overlap other lines of text: more than three above or below one letter, or more than six in all.
 * Burmese needs five, of which some stand beside the letter.
 */
const TOO_MANY_MARKS = /.(?:[\p{Mn}\p{Me}]{4}|\p{M}{7})/su;

/** Characters without a visible glyph, or without a meaning that everybody shares. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]$/u;

export const ALIAS_LENGTH = { min: 2, max: 30 };

/** The apostrophe that phone keyboards type. */
const TYPOGRAPHIC_APOSTROPHE = "\u2019";

/** The form in which an alias is stored and shown: without white space around it, and with one kind of apostrophe. */
export const normalizeAlias = (alias: string): string =>
  alias.trim().replaceAll(TYPOGRAPHIC_APOSTROPHE, "'").normalize("NFC");

/**
 * A text may be this many times as long as its normalized form. Normalizing takes time by the square of the number of
 * combining marks on a letter, so longer texts are rejected before.
 */
export const LONGEST_FORM = 16;

const foldOnce = (alias: string): string =>
  alias
    .replaceAll(TYPOGRAPHIC_APOSTROPHE, "'")
    .normalize("NFKC")
    // Upper case first, which approximates full case folding: ß and ss become equal.
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");

/**
 * The form in which aliases are compared: it ignores case and compatibility forms (docs/api.md, "Fields").
 * Folding a folded alias changes nothing.
 */
export const foldAlias = (alias: string): string => {
  let folded = foldOnce(alias);
  for (let next = foldOnce(folded); next !== folded; next = foldOnce(folded)) folded = next;
  return folded;
};

/** Whether two aliases fold to the same name. */
export const isSameAlias = (one: string, other: string): boolean => foldAlias(one) === foldAlias(other);

/** Describes a character by its code point and, if it is visible by itself, the character itself. */
const describe = (character: string): string => {
  const point = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (character === " ") return "a space";
  return MARK.test(character) || INVISIBLE.test(character) ? point : `${character} (${point})`;
};

/** Why a character is not allowed between `before` and `after`; `null` if it is. */
const characterError = (
  character: string,
  before: string | undefined,
  after: string | undefined,
): string | null => {
  const description = describe(character);
  if (SEPARATOR.test(character)) {
    if (before === undefined) return `must not begin with ${description}`;
    if (after === undefined) return `must not end with ${description}`;
    return SEPARATOR.test(before) ? `must have a letter or a digit before ${description}` : null;
  }
  if (INVISIBLE.test(character)) return `must not have the character ${description}, which is not visible`;
  if (MARK.test(character)) {
    const isOnLetter = before !== undefined && !SEPARATOR.test(before);
    return isOnLetter ? null : `must have a letter before the combining mark ${description}`;
  }
  if (LETTER.test(character)) return null;
  return `must not have the character ${description}: letters and digits are allowed, and between them a space, _ - . or '`;
};

/**
 * Checks an alias.
 * @returns the end of a sentence that begins with the field's name; `null` for a valid alias
 */
export const aliasError = (input: string): string | null => {
  const { min, max } = ALIAS_LENGTH;
  if (input.length > LONGEST_FORM * max) return `must have ${min} to ${max} characters`;
  const alias = normalizeAlias(input);
  const characters = [...alias];
  if (characters.length < min || characters.length > max) return `must have ${min} to ${max} characters`;
  for (const [index, character] of characters.entries()) {
    const error = characterError(character, characters[index - 1], characters[index + 1]);
    if (error !== null) return error;
  }
  const [crowded] = TOO_MANY_MARKS.exec(alias) ?? [];
  if (crowded !== undefined) return `has too many combining marks on the letter ${[...crowded][0]}`;
  // Some letters fold to whole phrases. The folded alias must still fit into a key of the table.
  const folded = [...foldAlias(alias)].length;
  if (folded < min || folded > 2 * max) return "is too long or too short when its letters are normalized";
  return null;
};
