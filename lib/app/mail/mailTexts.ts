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
