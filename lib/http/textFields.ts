/** Request fields with free text. */
import * as z from "zod/mini";
import type { ValidationIssue } from "../domain/validation.ts";

/**
 * The bounds of a text's length and its format, only for the documentation: the rule is in `check`, which may count
 * differently.
 */
interface Lengths {
  min: number;
  max: number;
  format?: string;
}

/** What is wrong with a text: a message, or one with its values. */
type TextIssue = string | Pick<ValidationIssue, "message" | "params">;

/** A text that passes `check`, which returns what is wrong or `null`. */
export const checkedText = (check: (text: string) => TextIssue | null, lengths?: Lengths) => {
  const rule = z.superRefine<string>((text, context) => {
    const issue = check(text);
    if (issue === null) return;
    context.addIssue({ code: "custom", ...(typeof issue === "string" ? { message: issue } : issue) });
  });
  if (lengths !== undefined)
    rule._zod.onattach.push(({ _zod: { bag } }) => {
      const { min: minimum, max: maximum, format } = lengths;
      Object.assign(bag, { minimum, maximum, ...(format === undefined ? {} : { format }) });
    });
  return z.string().check(rule);
};

/**
 * Characters that are forbidden in each kind of text. Names and lines must not have U+FFFD, which programs write in
 * place of what they could not decode. Names must not have invisible characters, or ones that change the
 * direction of writing: they could imitate another name or reorder the text around it. Lines and longer texts must not
 * have control characters, or overrides and isolates of direction (UAX #9, sections 2.1 to 2.4), which affect the text
 * after them when they are not closed. Lines must not have line breaks either.
 */
const FORBIDDEN = {
  name: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u,
  line: /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u,
  text: /(?![\n\r\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
} as const;

/**
 * Invisible characters that names may have: joiners between letters, as in Persian and Indic scripts (RFC 5892, appendix
 * A), joiners within emoji, and variation selectors.
 */
const JOINING = new RegExp(
  [
    "(?<=[\\p{L}\\p{M}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])",
    // At the end of a word in Malayalam.
    "(?<=[\\u0d4d])\\u200d",
    "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})",
    "(?<=[\\p{L}\\p{N}\\p{S}])\\p{Variation_Selector}",
  ].join("|"),
  "gu",
);

/** What decoders write in place of bytes that they cannot read. */
const REPLACEMENT = "\ufffd";

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

const forbiddenIn = (value: string, kind: keyof typeof FORBIDDEN): string | null => {
  const [character] = FORBIDDEN[kind].exec(kind === "name" ? value.replaceAll(JOINING, "") : value) ?? [];
  if (character === undefined) return null;
  if (character === REPLACEMENT)
    return `must not have the character ${codePoint(character)}: the text was read in a wrong encoding, and a letter is lost`;
  return `must not have the character ${codePoint(character)}, which is invisible or changes how other characters are shown`;
};

const lengthIn = (text: string): number => [...text].length;

/** A text of `min` to `max` characters, trimmed. A `text` may have several lines. */
export const text = (min: number, max: number, kind: keyof typeof FORBIDDEN) =>
  z.pipe(
    checkedText(
      (value) => {
        const length = lengthIn(value.trim());
        if (length < min || length > max) return `must have ${min} to ${max} characters`;
        return forbiddenIn(value, kind);
      },
      { min, max },
    ),
    z.transform((value) => value.trim()),
  );

export const JoinCodeText = z.lazy(() => text(4, 64, "line"));

/** A note or a reason. */
export const NoteText = z.lazy(() => text(1, 280, "text"));

/** The title of an award that game masters give. */
export const AwardTitle = z.lazy(() => text(1, 60, "line"));

/** A statement of a side of a dispute, or a comment. */
export const StatementText = z.lazy(() => text(1, 1_000, "text"));
