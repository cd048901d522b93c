/** Parses the inline part of a subset of Markdown: emphasis and links. It loops, so no text is too long or too deep. */

/** Text, emphasis or a link. */
export type Inline =
  | string
  | { kind: "strong" | "em"; parts: Inline[] }
  | { kind: "link"; href: string; label: string };

/** A mark of emphasis, or a whole link. A label or an address ends at a bracket, so that no character is read twice. */
const TOKEN = /\*\*|[*_]|\[([^[\]]+)\]\((https?:\/\/[^\s)[]+|mailto:[^\s)[]+)\)/g;

/** A mark that may begin emphasis, and its place among the parts. */
interface Opener {
  mark: string;
  at: number;
}

/** Emphasis within emphasis, at most so many times: more is no text that somebody would read. */
const MAX_DEPTH = 6;

const isSpace = (character: string): boolean => /^\s?$/.test(character);
const isWord = (character: string): boolean => /^\w$/.test(character);

/** Parses the text of a paragraph, a heading or an entry of a list. */
export const parseInline = (text: string): Inline[] => {
  const parts: Inline[] = [];
  const open: Opener[] = [];
  let read = 0;
  const readUpTo = (end: number): void => {
    if (end > read) parts.push(text.slice(read, end));
  };
  for (const { 0: mark, 1: label, 2: href, index } of text.matchAll(TOKEN)) {
    readUpTo(index);
    read = index + mark.length;
    if (label !== undefined && href !== undefined) {
      parts.push({ kind: "link", href, label });
      continue;
    }
    const [before, after] = [text.charAt(index - 1), text.charAt(read)];
    const mayClose = !isSpace(before) && (mark === "**" || !isWord(after));
    const opener = mayClose ? open.findLastIndex((one) => one.mark === mark) : -1;
    const from = open[opener];
    if (from !== undefined && from.at + 1 < parts.length) {
      // Marks in between that were not closed stay what they are: text.
      open.length = opener;
      const [, ...inner] = parts.splice(from.at);
      parts.push({ kind: mark === "**" ? "strong" : "em", parts: inner });
      continue;
    }
    const mayOpen = !isSpace(after) && (mark !== "_" || !isWord(before));
    if (mayOpen) {
      if (open.length === MAX_DEPTH) open.shift();
      open.push({ mark, at: parts.length });
    }
    parts.push(mark);
  }
  readUpTo(text.length);
  return parts;
};
