/** Renders a subset of Markdown: headings, lists, paragraphs, emphasis and links. HTML is shown as text. */
import type { ComponentChildren } from "preact";
import "./markdown.css";

/** Bold, italic and links. */
const INLINE = /\*\*(.+?)\*\*|[*_](\S.*?)[*_](?!\w)|\[([^\]]+)\]\((https?:\/\/[^\s)]+|mailto:[^\s)]+)\)/;

const inline = (text: string): ComponentChildren => {
  const found = INLINE.exec(text);
  if (found === null) return text;
  const [whole, bold, italic, label, href = ""] = found;
  const element =
    bold !== undefined ? (
      <strong>{inline(bold)}</strong>
    ) : italic !== undefined ? (
      <em>{inline(italic)}</em>
    ) : (
      <a href={href} rel="noreferrer noopener">
        {label}
      </a>
    );
  return [text.slice(0, found.index), element, inline(text.slice(found.index + whole.length))];
};

const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d+[.)]\s+/;
const HEADING = /^#{1,6}\s+/;

const items = (lines: readonly string[], mark: RegExp): ComponentChildren =>
  lines.map((line) => <li key={line}>{inline(line.replace(mark, ""))}</li>);

/** Groups lines into blocks: a heading, a list or a paragraph. */
const blocksOf = (text: string): string[][] => {
  const kindOf = (line: string) => [HEADING, BULLET, NUMBER].findIndex((mark) => mark.test(line));
  const blocks: string[][] = [];
  let last: number | null = null;
  for (const line of text.split(/\r?\n/)) {
    const kind = line.trim() === "" ? null : kindOf(line);
    if (kind !== null && kind === last && kind !== 0) blocks.at(-1)?.push(line);
    else if (kind !== null) blocks.push([line]);
    last = kind;
  }
  return blocks;
};

const Block = ({ lines }: { lines: readonly string[] }) => {
  const [first = ""] = lines;
  if (HEADING.test(first)) return <h3>{inline(first.replace(HEADING, ""))}</h3>;
  if (BULLET.test(first)) return <ul>{items(lines, BULLET)}</ul>;
  if (NUMBER.test(first)) return <ol>{items(lines, NUMBER)}</ol>;
  return <p>{inline(lines.join(" "))}</p>;
};

export const Markdown = ({ text }: { text: string }) => (
  <div class="markdown">
    {blocksOf(text).map((lines, at) => (
      <Block key={at} lines={lines} />
    ))}
  </div>
);
