/** Which aliases are valid; and of one that is not, which character is at fault, and what the nearest valid alias is. */
import { ALIAS_LENGTH, foldAlias, LONGEST_FORM, normalizeAlias } from "./alias.ts";

/** Letters and digits of any script. Combining marks may follow them, as some scripts need. */
const LETTER = /^[\p{L}\p{Nd}]$/u;
const MARK = /^\p{M}$/u;
const SEPARATOR = /^[ _.'-]$/;

/**
 * The separators between two letters or digits: one, or those of `J. R. Smith`, `J.-P. Sartre`, `van 't Hoff` and
 * `D' Angelo`. An alias may begin with an apostrophe (`'t Hoen`), and end with one or with a full stop (`Downey Jr.`).
 */
const BETWEEN = /^(?:[ _.'-]|\.[ '-]| '|' |\. ')$/;
const FIRST = /^'$/;
const LAST = /^[.']$/;

/**
 * Combining marks that overlap other lines of text: more than three above or below one letter, or more than six in all.
 * Burmese needs five, of which some stand beside the letter.
 */
const TOO_MANY_MARKS = /.(?:[\p{Mn}\p{Me}]{4}|\p{M}{7})/su;

/** Characters without a visible glyph, or without a meaning that everybody shares. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]$/u;

/** Letters of scripts in which one letter is a word, and so a name, such as 李, 설 and あ. */
const WORD_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\uac00-\ud7a3]/u;

/** The viramas of the Basic Multilingual Plane: a joiner beside one chooses between the forms of a conjunct. */
const VIRAMA =
  /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed]/;

interface Context {
  character: RegExp;
  /** What the characters before and after it must match. */
  before: RegExp;
  after?: RegExp;
  place: string;
}

/** Characters that are valid only beside certain others: RFC 5892, appendix A, and UAX #31, section 2.3. */
const CONTEXTS: readonly Context[] = [
  // Catalan. Chinese and Japanese write the names of other languages with a dot between their parts.
  { character: /·/, before: /l$/i, after: /^l/i, place: "between two l" },
  {
    character: /[·・]/,
    before: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u,
    after: /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
    place: "between two Chinese or Japanese letters",
  },
  { character: /[׳״]/, before: /[\u05b0-\u05ea]$/, place: "after a Hebrew letter" },
  { character: /־/, before: /[\u05b0-\u05f4]$/, after: /^[\u05d0-\u05ea]/, place: "between Hebrew letters" },
  { character: /་/, before: /[\u0f40-\u0fbc]$/, place: "after a Tibetan letter" },
  { character: /[\u200c\u200d]/, before: new RegExp(`${VIRAMA.source}$`), place: "after a virama" },
  // Bengali ra with ya-phala: র‍্যা.
  { character: /\u200d/, before: /\u09b0$/, after: /^\u09cd/, place: "after a virama" },
  // `normalizeAlias` has removed those after letters that join no other.
  {
    character: /\u200c/,
    before: /\p{Script=Arabic}\p{M}*$/u,
    after: /^\p{M}*\p{Script=Arabic}/u,
    place: "between two Arabic letters that would join without it",
  },
];

/** The names of characters that cannot be seen. */
const NAMES: Readonly<Record<string, string>> = {
  "\t": "tab",
  "\n": "line break",
  "\u00ad": "soft hyphen",
  "\u200b": "zero width space",
  "\u200c": "zero width non-joiner",
  "\u200d": "zero width joiner",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\u061c": "Arabic letter mark",
  "\u2060": "word joiner",
  "\ufe0e": "variation selector",
  "\ufe0f": "variation selector",
  "\ufeff": "byte order mark",
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Describes a character by its code point, and by the character itself or the name of one that cannot be seen. */
const describe = (character: string): string => {
  if (character === " ") return "a space";
  const point = codePoint(character);
  const name = NAMES[character];
  if (name !== undefined) return `${point} (${name})`;
  return MARK.test(character) || INVISIBLE.test(character) ? point : `${character} (${point})`;
};

/** What is wrong with an alias: the end of a sentence that begins with the field's name, and its values. */
export interface AliasIssue {
  message: string;
  params?: { character?: string; code_point?: string; suggestion?: string };
}

const issueOf = (character: string, message: string): AliasIssue => ({
  message,
  params: { character, code_point: codePoint(character) },
});

/** What is wrong with separators in a row. */
const separatorIssue = (run: readonly string[], isFirst: boolean, isLast: boolean): AliasIssue | null => {
  const [first = "", second = ""] = run;
  const final = run.at(-1) ?? "";
  const text = run.join("");
  if (isFirst) return FIRST.test(text) ? null : issueOf(first, `must not begin with ${describe(first)}`);
  if (isLast) return LAST.test(text) ? null : issueOf(final, `must not end with ${describe(final)}`);
  if (BETWEEN.test(text)) return null;
  return issueOf(second, `must have a letter or a digit before ${describe(second)}`);
};

/** More characters than a letter with its marks has. What is farther away does not matter to a character. */
const NEAR = 8;

/** What precedes a character of a text, and what follows it. */
const contextOf = (characters: readonly string[], place: number): { before: string; after: string } => ({
  before: characters.slice(Math.max(0, place - NEAR), place).join(""),
  after: characters.slice(place + 1, place + 1 + NEAR).join(""),
});

/** What is wrong with a character that is no separator. */
const characterIssue = (characters: readonly string[], place: number): AliasIssue | null => {
  const character = characters[place] ?? "";
  const { before, after } = contextOf(characters, place);
  if (LETTER.test(character) && !INVISIBLE.test(character)) return null;
  const description = describe(character);
  const contexts = CONTEXTS.filter((context) => context.character.test(character));
  if (contexts.length > 0) {
    const isInPlace = contexts.some(
      (context) => context.before.test(before) && context.after?.test(after) !== false,
    );
    const places = [...new Set(contexts.map(({ place }) => place))].join(", or ");
    return isInPlace ? null : issueOf(character, `may have ${description} only ${places}`);
  }
  if (INVISIBLE.test(character))
    return issueOf(character, `must not have the character ${description}, which is not visible`);
  if (MARK.test(character)) {
    const isOnLetter = /[\p{L}\p{M}\p{Nd}\u200d]$/u.test(before);
    return isOnLetter
      ? null
      : issueOf(character, `must have a letter before the combining mark ${description}`);
  }
  return issueOf(
    character,
    `must not have the character ${description}: letters and digits are allowed, and between them a space, _ - . or '`,
  );
};

const LENGTH_ISSUE: AliasIssue = { message: `must have 2 to ${ALIAS_LENGTH.max} characters` };

/** Whether a text of one character, or of more, is long enough for a name. */
const isLongEnough = (text: string): boolean => [...text].length > 1 || WORD_LETTER.test(text);

const firstIssue = (input: string): AliasIssue | null => {
  const { max } = ALIAS_LENGTH;
  if (input.length > LONGEST_FORM * max) return LENGTH_ISSUE;
  const alias = normalizeAlias(input);
  const characters = [...alias];
  if (!isLongEnough(alias) || characters.length > max) return LENGTH_ISSUE;
  for (let place = 0; place < characters.length; place += 1) {
    const end = characters.findIndex((one, index) => index >= place && !SEPARATOR.test(one));
    const run = characters.slice(place, end === -1 ? undefined : end);
    if (run.length > 0) {
      const issue = separatorIssue(run, place === 0, end === -1);
      if (issue !== null) return issue;
      place += run.length - 1;
      continue;
    }
    const issue = characterIssue(characters, place);
    if (issue !== null) return issue;
  }
  const [crowded] = TOO_MANY_MARKS.exec(alias) ?? [];
  if (crowded !== undefined)
    return { message: `has too many combining marks on the letter ${[...crowded][0]}` };
  // Some letters fold to whole phrases. The folded alias must still fit into a key of the table.
  const folded = foldAlias(alias);
  if (!isLongEnough(folded) || [...folded].length > 2 * max)
    return { message: "is too long or too short when its letters are normalized" };
  return null;
};

/** What a character becomes that an alias may not have after `before`. */
const replacementOf = (character: string, before: string): string => {
  if (/["“”]/.test(character)) return /[\u05b0-\u05ea]$/.test(before) ? "״" : "";
  if (/[`´′]/.test(character)) return "'";
  if (/\p{Pd}/u.test(character)) return "-";
  if (/[\p{Z}\t\n\r/&+|\\,;:]/u.test(character)) return " ";
  // Such as Ⅷ, ² and ①.
  const plain = character.normalize("NFKC");
  return [...plain].every((one) => LETTER.test(one) && !INVISIBLE.test(one)) ? plain : "";
};

/** The separators of a run that are kept, so that the run is valid between two letters. */
const shortened = (run: string): string => {
  if (BETWEEN.test(run)) return run;
  return run.includes(" ") ? " " : run.slice(0, 1);
};

/** The longest beginning of a text that may be an alias. */
const cut = (text: string): string =>
  [...text]
    .slice(0, ALIAS_LENGTH.max)
    .join("")
    .replace(/^[ _.-]+|[ _-]+$/g, "");

/** The valid alias nearest to a text; `null` if there is none, as for a text without letters. */
export const nearestAlias = (input: string): string | null => {
  // A text is long enough for a name even if most of its characters are dropped.
  let text = normalizeAlias(input.slice(0, LONGEST_FORM * ALIAS_LENGTH.max));
  for (let rounds = 0; rounds < ALIAS_LENGTH.max; rounds += 1) {
    const characters = [...text];
    const kept = characters.map((character, place) => {
      if (SEPARATOR.test(character)) return character;
      return characterIssue(characters, place) === null
        ? character
        : replacementOf(character, contextOf(characters, place).before);
    });
    const next = normalizeAlias(kept.join(""))
      .replaceAll(/[ _.'-]{2,}/g, shortened)
      .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1");
    if (next === text) break;
    text = next;
  }
  const nearest = cut(text);
  return nearest !== input && firstIssue(nearest) === null ? nearest : null;
};

/** What is wrong with an alias, and which valid one is nearest to it; `null` for a valid alias. */
export const aliasIssue = (input: string): AliasIssue | null => {
  const issue = firstIssue(input);
  const suggestion = issue === null ? null : nearestAlias(input);
  if (issue === null || suggestion === null) return issue;
  return { ...issue, params: { ...issue.params, suggestion } };
};

/**
 * Checks an alias.
 * @returns the end of a sentence that begins with the field's name; `null` for a valid alias
 */
export const aliasError = (input: string): string | null => firstIssue(input)?.message ?? null;
