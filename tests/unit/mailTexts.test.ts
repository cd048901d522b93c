/** Mails as plain text: what a reader without HTML has. */
import { expect, it } from "vitest";
import { headerText, htmlText, plainText, senderName } from "../../lib/domain/mail/content.ts";
import { mailKinds } from "../../lib/domain/mail/mail.ts";
import { LONGEST_MAILS } from "../support/longestMails.ts";

it.each(mailKinds())(
  "the plain text of %s has a paragraph for each part, and each link on a line of its own",
  (kind) => {
    const { parts } = LONGEST_MAILS[kind];
    const text = plainText(LONGEST_MAILS[kind]);
    const lines = text.split("\n");
    const links = parts.flatMap((part) => ("link" in part ? part.link : []));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(lines[lines.indexOf(link) - 1]).toMatch(/^[A-Z].*:$/);
    expect(lines.filter((line) => line === "").length).toBeGreaterThanOrEqual(parts.length);
    expect(text).not.toMatch(/<[pa] |&\w+;|\r|\n{3}/);
    expect(text).toMatch(/\S\n$/);
  },
);

it("joiners of letters and of emoji, which an alias may have too, stay in every part of a mail", () => {
  const joined = "\u{1f9df}\u200d\u2640\ufe0f \u0639\u0644\u06cc\u200c\u0631\u0636\u0627";
  const content = { subject: joined, parts: [{ text: `${joined}\u200b\u202e` }] };
  expect(headerText(`${joined}\u200b\u202e`)).toBe(joined);
  expect(senderName(joined)).toBe(joined);
  expect(plainText(content)).toBe(`${joined}\n`);
  expect(htmlText(content).split(joined)).toHaveLength(3);
});
