/**
 * The tokens of DynamoDB's PartiQL. The tokens contain the complete statement, in order. Invalid parts are tokens of the
 * kind `bad`, with a reason.
 */

export type Kind =
  | "space"
  | "comment"
  /** A keyword or an unquoted name. */
  | "word"
  | "name"
  /** A text in single quotes. */
  | "text"
  | "number"
  | "parameter"
  | "symbol"
  | "bad";

export interface Token {
  kind: Kind;
  /** The text of the token in the statement. */
  source: string;
  /** The position in the statement, in UTF-16 units. */
  at: number;
  /** The text or name without quotes and escapes; for a bad token, the reason. */
  value: string;
}

const SPACES = " \t\r\n";
const SYMBOLS = ["<>", "<=", ">=", "!=", "||", "<<", ">>", ..."()[]{},.*=<>+-/%;:"];

const isBetween = (character: string | undefined, first: string, last: string): boolean =>
  character !== undefined && character >= first && character <= last;
const isDigit = (character: string | undefined): boolean => isBetween(character, "0", "9");
const isLetter = (character: string | undefined): boolean =>
  isBetween(character, "a", "z") || isBetween(character, "A", "Z") || character === "_";
const isWordPart = (character: string | undefined): boolean => isLetter(character) || isDigit(character);

/** The end of a run of characters. */
const runEnd = (source: string, at: number, isPart: (character: string | undefined) => boolean): number => {
  let end = at;
  while (isPart(source[end])) end += 1;
  return end;
};

type Scanned = Omit<Token, "at">;

const bad = (source: string, value: string): Scanned => ({ kind: "bad", source, value });

/** Reads a quoted token. A doubled quote stands for one. */
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
  // Engines differ on nested comments, so they are rejected.
  if (comment.includes("/*", 2)) return bad(source.slice(at), "comments cannot be nested");
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
  return bad(source.slice(at, runEnd(source, end, isWordPart)), "a number is followed by a letter");
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
  const unknown = String.fromCodePoint(source.codePointAt(at) ?? 0);
  return bad(unknown, "unexpected character outside quotes");
};

/** Splits any text into tokens. */
export const tokenize = (source: string): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const scanned = tokenAt(source, at);
    tokens.push({ ...scanned, at });
    at += scanned.source.length;
  }
  return tokens;
};
