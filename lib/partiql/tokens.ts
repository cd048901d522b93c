/**
 * The tokens of PartiQL as DynamoDB takes it. Nothing is lost: the sources of all tokens, in order, are the
 * statement, and what is no token is one of the kind `bad` that says why.
 */

export type Kind =
  | "space"
  | "comment"
  /** A keyword, or a name without quotes. */
  | "word"
  /** A name in double quotes. */
  | "name"
  /** A text in single quotes. */
  | "text"
  | "number"
  | "parameter"
  | "symbol"
  | "bad";

export interface Token {
  kind: Kind;
  /** As it stands in the statement. */
  source: string;
  /** Where it begins, in UTF-16 units. */
  at: number;
  /** What it stands for: a text or name without quotes and escapes; of a bad one, what is wrong with it. */
  value: string;
}

const SPACES = " \t\r\n";
const SYMBOLS = ["<>", "<=", ">=", "!=", "||", "<<", ">>", ..."()[]{},.*=<>+-/%;:"];

const within = (character: string | undefined, least: string, most: string): boolean =>
  character !== undefined && character >= least && character <= most;
const isDigit = (character: string | undefined): boolean => within(character, "0", "9");
const isLetter = (character: string | undefined): boolean =>
  within(character, "a", "z") || within(character, "A", "Z") || character === "_";
const isWordPart = (character: string | undefined): boolean => isLetter(character) || isDigit(character);

/** Where a run of such characters ends. */
const runEnd = (source: string, at: number, belongs: (character: string | undefined) => boolean): number => {
  let end = at;
  while (belongs(source[end])) end += 1;
  return end;
};

type Scanned = Omit<Token, "at">;

const bad = (source: string, value: string): Scanned => ({ kind: "bad", source, value });

/** From a quote to its end; a doubled quote stands for one. */
const quoted = (source: string, at: number, kind: "text" | "name"): Scanned => {
  const quote = source[at];
  let value = "";
  for (let end = at + 1; end < source.length; end += 1) {
    if (source[end] !== quote) value += source[end];
    else if (source[end + 1] === quote) {
      value += quote;
      end += 1;
    } else return { kind, source: source.slice(at, end + 1), value };
  }
  return bad(source.slice(at), kind === "text" ? "a text is not closed" : "a name in quotes is not closed");
};

const lineComment = (source: string, at: number): Scanned => {
  const end = runEnd(
    source,
    at,
    (character) => character !== undefined && character !== "\n" && character !== "\r",
  );
  return { kind: "comment", source: source.slice(at, end), value: "" };
};

const blockComment = (source: string, at: number): Scanned => {
  const end = source.indexOf("*/", at + 2);
  if (end === -1) return bad(source.slice(at), "a comment is not closed");
  const comment = source.slice(at, end + 2);
  // Some read the inner one as the beginning of another, some do not: so nobody does.
  if (comment.includes("/*", 2)) return bad(source.slice(at), "a comment stands within a comment");
  return { kind: "comment", source: comment, value: "" };
};

const number = (source: string, at: number): Scanned => {
  let end = runEnd(source, at, isDigit);
  if (source[end] === "." && isDigit(source[end + 1])) end = runEnd(source, end + 1, isDigit);
  if (source[end] === "e" || source[end] === "E") {
    const digits = source[end + 1] === "+" || source[end + 1] === "-" ? end + 2 : end + 1;
    if (isDigit(source[digits])) end = runEnd(source, digits, isDigit);
  }
  const text = source.slice(at, end);
  if (!isWordPart(source[end])) return { kind: "number", source: text, value: text };
  return bad(source.slice(at, runEnd(source, end, isWordPart)), "a number runs into a word");
};

const tokenAt = (source: string, at: number): Scanned => {
  const character = source[at];
  if (character === "'") return quoted(source, at, "text");
  if (character === '"') return quoted(source, at, "name");
  if (source.startsWith("--", at)) return lineComment(source, at);
  if (source.startsWith("/*", at)) return blockComment(source, at);
  if (isDigit(character)) return number(source, at);
  if (isLetter(character)) {
    const word = source.slice(at, runEnd(source, at, isWordPart));
    return { kind: "word", source: word, value: word };
  }
  if (character === "?") return { kind: "parameter", source: "?", value: "" };
  const space = runEnd(source, at, (one) => one !== undefined && SPACES.includes(one));
  if (space > at) return { kind: "space", source: source.slice(at, space), value: "" };
  const symbol = SYMBOLS.find((one) => source.startsWith(one, at));
  if (symbol !== undefined) return { kind: "symbol", source: symbol, value: symbol };
  const strange = String.fromCodePoint(source.codePointAt(at) ?? 0);
  return bad(strange, "a character stands outside quotes that means nothing there");
};

/** The tokens of any text at all. */
export const tokenize = (source: string): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const scanned = tokenAt(source, at);
    tokens.push({ ...scanned, at });
    at += scanned.source.length;
  }
  return tokens;
};
