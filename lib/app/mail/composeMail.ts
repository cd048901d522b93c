/** What a mail says and to whom, by what is true when it is sent. */
import { type Content, senderName } from "../../domain/mail/content.ts";
import type { Mail, MailKind } from "../../domain/mail/mail.ts";
import type { Player } from "../../domain/players/player.ts";
import { instantOf } from "../../domain/time.ts";
import type { Services } from "../../lambda/services.ts";
import type { Message } from "../../mail/sender.ts";
import type { MailSettings } from "../../mail/settings.ts";
import { readSuppressed } from "../../store/mail/mails.ts";
import { type Facts, testText } from "./mailTexts.ts";

/** The text and the address of a mail, or why it is not sent. */
type Composed = { to: string; content: Content } | { dropped: string };

/** What a kind of mail says. */
type Template = (player: Player, facts: Facts, mail: Mail) => Composed | Promise<Composed>;

const toOwnAddress = ({ email }: Player, content: Content): Composed =>
  email === null ? { dropped: "the account has no address" } : { to: email, content };

const TEMPLATES: Record<MailKind, Template> = {
  test: (player, facts) => toOwnAddress(player, testText(facts)),
};

/** Returns the message of a mail, or why it is not sent. */
export const composeMail = async (
  { store }: Services,
  { from, publicUrl }: MailSettings,
  mail: Mail,
): Promise<{ message: Message } | { dropped: string }> => {
  const { mail_id, kind, player_id, at } = mail;
  const [player, game] = await Promise.all([
    player_id === null ? null : store.player(player_id),
    store.game(),
  ]);
  if (player === null) return { dropped: "the account does not exist" };
  const { name } = game.settings;
  const composed = await TEMPLATES[kind](player, { game: name, alias: player.alias, publicUrl }, mail);
  if ("dropped" in composed) return composed;
  const { to, content } = composed;
  if ((await readSuppressed(store.db, to)) !== null) return { dropped: "the address is suppressed" };
  return {
    message: {
      id: mail_id,
      from: { name: senderName(name), address: from },
      to,
      date: instantOf(at),
      content,
    },
  };
};
