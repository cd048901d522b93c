/** Aliases: the form in which they are shown, and which two count as the same name. aliasRules.ts says which are valid. */

export const ALIAS_LENGTH = { min: 1, max: 30 };

/**
 * A text may be this many times as long as its normalized form. Normalizing takes time by the square of the number of
 * combining marks on a letter, so longer texts are rejected before.
 */
export const LONGEST_FORM = 16;

/** The apostrophe that phone keyboards type, and the quotation mark that they type at the beginning of a word. */
const APOSTROPHES = /[\u2018\u2019\u201b]/g;
/** Hyphens, and the minus sign and the dashes of the same length. */
const HYPHENS = /[\u2010-\u2013\u2212]/g;
const SPACES = /\p{Zs}+/gu;

/** Arabic letters that do not join the letter after them. */
const NOT_JOINING =
  "\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef";
/** Zero width non-joiners without an effect: after such a letter, and at the end of a word, where keyboards leave them. */
const IDLE_JOINERS = new RegExp(
  `(?<=[${NOT_JOINING}]\\p{M}*)\\u200c|(?<=\\p{Script=Arabic}\\p{M}*)\\u200c(?=$|[ \\u200c])|^\\u200c`,
  "gu",
);

/**
 * The form in which an alias is stored and shown: with one kind of space, apostrophe and hyphen, one space at a time and none
 * around the alias, and without joiners that join nothing.
 */
export const normalizeAlias = (alias: string): string =>
  alias
    .replaceAll(SPACES, " ")
    .trim()
    .replaceAll(APOSTROPHES, "'")
    .replaceAll(HYPHENS, "-")
    .normalize("NFC")
    .replaceAll(IDLE_JOINERS, "");

const foldOnce = (text: string): string =>
  text
    .replaceAll("\u2019", "'")
    .normalize("NFKC")
    // Upper case first, which approximates full case folding: ß and ss become equal.
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");

/**
 * A text without regard to case and compatibility forms. Folding a folded text changes nothing. It must not change: keys of
 * the table are made of it.
 */
export const foldText = (text: string): string => {
  let folded = foldOnce(text);
  for (let next = foldOnce(folded); next !== folded; next = foldOnce(folded)) folded = next;
  return folded;
};

/**
 * An alias with one separator at most between two words, none around them and no joiners, so that `Robert Downey Jr` is
 * `Robert Downey Jr.`, and `J.R. Smith` is `J. R. Smith`. Every alias that was valid before these were allowed is of this
 * form, so its keys stay (decision 96).
 */
export const plainAlias = (alias: string): string =>
  alias
    .replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, (others) => others.normalize("NFKC"))
    .replaceAll(/[\u200c\u200d]/g, "")
    .replaceAll(SPACES, " ")
    .trim()
    .replaceAll(APOSTROPHES, "'")
    .replaceAll("׳", "'")
    .replaceAll(HYPHENS, "-")
    .replaceAll("־", "-")
    .replaceAll(/[・•‧]/g, "·")
    .replaceAll(/([ _.'·་-])[ _.'·་-]+/g, "$1")
    .replaceAll(/^[ _.'·་-]|[ _.'·་-]$/g, "");

/** The form in which aliases are compared (docs/api.md, "Fields"): {@link plainAlias}, folded. */
export const foldAlias = (alias: string): string => foldText(plainAlias(alias));

/** Whether two aliases fold to the same name. */
export const isSameAlias = (one: string, other: string): boolean => foldAlias(one) === foldAlias(other);
