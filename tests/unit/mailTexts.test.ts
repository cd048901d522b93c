/** Mails as plain text: what a reader without HTML has. */
import { expect, it } from "vitest";
import { plainText } from "../../lib/domain/mail/content.ts";
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
