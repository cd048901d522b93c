/** A mail of each kind, with texts that are longer than any that can be entered, and have no place to break. */
import {
  addressChangeText,
  announcementText,
  confirmText,
  inviteText,
  passwordChangedText,
  recoverText,
  testText,
} from "../../lib/app/mail/mailTexts.ts";
import type { Content } from "../../lib/domain/mail/content.ts";
import type { MailKind } from "../../lib/domain/mail/mail.ts";

const PAGES = "https://a-rather-long-name.of-a-university.example.org";
const link = `${PAGES}/app/recover#alias=${"W".repeat(30)}&token=${"x".repeat(64)}`;
const facts = { game: "<b>Ü".repeat(2_500), alias: "W".repeat(30), publicUrl: PAGES, link };

/** A new kind needs a line. */
export const LONGEST_MAILS: Record<MailKind, Content> = {
  test: testText(facts),
  confirm: confirmText(facts),
  recover: recoverText(facts),
  invite: inviteText(facts),
  password_changed: passwordChangedText(facts),
  address_change: addressChangeText(facts),
  announcement: announcementText({
    ...facts,
    title: "<i>Title".repeat(1_250),
    text: `${"Straßenbahnhaltestellenunterführung".repeat(100)}\n\n${"A sentence. ".repeat(300)}`,
    unsubscribe: `${PAGES}/unsubscribe_email?token=${"x".repeat(64)}`,
  }),
};
