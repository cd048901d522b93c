/** The texts of mails. Each is a function of what is true when the mail is sent. */
import type { Content } from "../../domain/mail/content.ts";

/** What every text may name. */
export interface Facts {
  /** The name of the game. */
  game: string;
  /** The recipient's alias. */
  alias: string;
  /** The address of the pages. */
  publicUrl: string;
}

/** A test that a game master sends to their own address. */
export const testText = ({ game, alias, publicUrl }: Facts): Content => ({
  subject: `Test of mail from ${game}`,
  parts: [
    { text: `Hello ${alias},` },
    { text: `This is a test. ${game} can send mail.` },
    { link: publicUrl, label: "Open the game" },
    { small: "A game master of the game has asked for this message." },
  ],
});

/** The link with which a player confirms an address. */
export const confirmText = ({ game, alias, link }: Facts & { link: string }): Content => ({
  subject: `Confirm your e-mail address for ${game}`,
  parts: [
    { text: `Hello ${alias},` },
    {
      text: `confirm that this address is yours, so that ${game} can reach you and help you with a forgotten password.`,
    },
    { link, label: "Confirm this address" },
    { text: "The link works once, within 24 hours. Opening it changes nothing: the page asks you." },
    { small: "If you have not registered for this game, ignore this message. Nothing follows." },
  ],
});

/** Tells the present address that another one is to replace it. */
export const addressChangeText = ({ game, alias, link }: Facts & { link: string }): Content => ({
  subject: `Your e-mail address for ${game} is about to change`,
  parts: [
    { text: `Hello ${alias},` },
    {
      text: `somebody with your password has entered another e-mail address for your account of ${game}. It replaces this one as soon as it is confirmed.`,
    },
    { text: "If that was not you, change your password and your address now." },
    { link, label: "Open your profile" },
  ],
});

/** The link with which somebody who has forgotten the password sets another one. */
export const recoverText = ({ game, alias, link }: Facts & { link: string }): Content => ({
  subject: `Set a new password for ${game}`,
  parts: [
    { text: `Hello ${alias},` },
    { text: `somebody, probably you, has forgotten the password of your account of ${game}.` },
    { link, label: "Set a new password" },
    { text: "The link works once, within an hour. Opening it changes nothing." },
    { small: "If you have not asked for it, ignore this message. Your password stays as it is." },
  ],
});

/** The link with which somebody who was entered from a list sets the first password. */
export const inviteText = ({ game, alias, link }: Facts & { link: string }): Content => ({
  subject: `Your invitation to ${game}`,
  parts: [
    { text: `Hello ${alias},` },
    { text: `you have signed up for ${game}, where you play as ${alias}. Choose a password to begin.` },
    { link, label: "Accept the invitation" },
    {
      text: "The link works once, within seven days. Opening it changes nothing: the page asks you for a password.",
    },
    { small: "If you have not signed up for this game, ignore this message." },
  ],
});

/** Tells the owner of an account that its password was changed. */
export const passwordChangedText = ({ game, alias, link }: Facts & { link: string }): Content => ({
  subject: `Your password for ${game} was changed`,
  parts: [
    { text: `Hello ${alias},` },
    { text: `the password of your account of ${game} was changed, and all devices were logged out.` },
    { text: "If that was not you, set another password now, and tell a game master." },
    { link, label: "Set another password" },
  ],
});

/** A game master's announcement. @param facts.unsubscribe the address that switches such mails off */
export const announcementText = ({
  game,
  title,
  text,
  link,
  unsubscribe,
}: Facts & { title: string; text: string; link: string; unsubscribe: string }): Content => ({
  subject: title,
  parts: [
    { text: title },
    { text },
    { link, label: "Open the game" },
    {
      small: `You get this because you play ${game} and have confirmed this address. It also stands in your inbox in the game.`,
    },
    { link: unsubscribe, label: "Stop announcements by mail", isSmall: true },
  ],
});
