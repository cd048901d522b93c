/** The content of mails: one template makes plain text and HTML. Pure. */

/** A part of a mail. A link has its own line, with its address in the plain text. */
export type Part = { text: string } | { link: string; label: string; isSmall?: true } | { small: string };

/** What a template makes. */
export interface Content {
  subject: string;
  parts: readonly Part[];
}

/** The longest subject: with the prefixes of responses it fits into a line (RFC 5322, section 2.1.1). */
const MAX_SUBJECT = 150;
/** The longest name of a sender. */
const MAX_NAME = 60;

/**
 * Control characters, line and paragraph separators, and what is invisible or changes the direction of the text that follows.
 * Joiners stay: they belong to words in Persian and Indic scripts, and to emoji.
 */
const UNSAFE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/gu;

/** At most so many characters, without half of one, with an ellipsis if some are missing. */
const shortened = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
};

/** A text that is safe in a header: one line of visible characters. */
export const headerText = (text: string, most = MAX_SUBJECT): string =>
  shortened(text.toWellFormed().replace(UNSAFE, " ").replace(/\s+/g, " ").trim(), most);

/** The scripts whose letters look like those of others. */
const LOOK_ALIKES = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
];

const DEFAULT_NAME = "Humans vs Zombies";

/**
 * The name of the sender: the game's, in one line. A name could pretend to be somebody else by letters of another script
 * within a word, or by an address; then it is that of the sport.
 */
export const senderName = (game: string): string => {
  const name = headerText(game, MAX_NAME);
  const isMixed = name
    .normalize("NFKC")
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => LOOK_ALIKES.filter((script) => script.test(word)).length > 1);
  return name === "" || isMixed || /[@<>"\\]/.test(name) ? DEFAULT_NAME : name;
};

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A text with visible characters and line breaks alone. */
const bodyText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.replace(UNSAFE, " ").trimEnd())
    .join("\n");

const plainPart = (part: Part): string => {
  if ("link" in part) return `${headerText(part.label)}:\n${part.link}`;
  return bodyText("text" in part ? part.text : part.small);
};

const paragraph = (text: string, style: string): string =>
  `<p style="${style}">${escapeHtml(bodyText(text)).replaceAll("\n", "<br>")}</p>`;

const htmlPart = (part: Part): string => {
  if ("text" in part) return paragraph(part.text, "margin:0 0 16px");
  if ("small" in part) return paragraph(part.small, "margin:0 0 8px;font-size:13px;opacity:.75");
  const [link, label] = [escapeHtml(part.link), escapeHtml(headerText(part.label))];
  if (part.isSmall === true)
    return `<p style="margin:0 0 8px;font-size:13px"><a href="${link}" style="color:inherit">${label}</a></p>`;
  return `<p style="margin:0 0 16px"><a href="${link}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f5f2e;color:#ffffff;text-decoration:none">${label}</a></p>`;
};

/** The plain text of a mail. */
export const plainText = ({ parts }: Content): string => `${parts.map(plainPart).join("\n\n")}\n`;

/** The HTML of a mail: without pictures, scripts or anything that is loaded. */
export const htmlText = ({ subject, parts }: Content): string =>
  [
    '<!doctype html><html><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(headerText(subject))}</title></head>`,
    '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere"><div style="max-width:560px;margin:0 auto">',
    ...parts.map(htmlPart),
    "</div></body></html>",
  ].join("\n");
