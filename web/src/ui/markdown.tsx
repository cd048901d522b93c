/** Renders a subset of Markdown: headings, lists, paragraphs, emphasis and links. HTML is shown as text. */
import type { ComponentChildren } from "preact";
import { type Inline, parseInline } from "./inlineMarkdown.ts";
import "./markdown.css";

const inline = (text: string): ComponentChildren => shown(parseInline(text));

const shown = (parts: readonly Inline[]): ComponentChildren =>
  parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.kind === "link")
      return (
        <a href={part.href} rel="noreferrer noopener">
          {part.label}
        </a>
      );
    return part.kind === "strong" ? <strong>{shown(part.parts)}</strong> : <em>{shown(part.parts)}</em>;
  });

const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d+[.)]\s+/;
const HEADING = /^#{1,6}\s+/;

const items = (lines: readonly string[], mark: RegExp): ComponentChildren =>
  lines.map((line, at) => <li key={at}>{inline(line.replace(mark, ""))}</li>);

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
