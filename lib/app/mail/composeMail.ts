/** What a mail says and to whom, by what is true when it is sent. */
import { isBanned } from "../../auth/credentials.ts";
import { mailToken, unsubscribeToken } from "../../auth/mailToken.ts";
import type { Game } from "../../domain/game/game.ts";
import { addressConfirmedBy } from "../../domain/mail/account.ts";
import { awaitedAddress } from "../../domain/mail/awaited.ts";
import { type Content, senderName } from "../../domain/mail/content.ts";
import type { Mail, MailKind } from "../../domain/mail/mail.ts";
import { isMailWanted, type OptionalMail, optionalMail } from "../../domain/mail/optionalMails.ts";
import { PAGES, SAMPLE_TOKEN, UNSUBSCRIBE } from "../../domain/notifications/pages.ts";
import type { Player } from "../../domain/players/player.ts";
import { instantOf } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { Message } from "../../mail/sender.ts";
import type { MailSettings } from "../../mail/settings.ts";
import { mailKeys } from "../../secrets/mailKeys.ts";
import { isSameEmail } from "../../store/accounts/emails.ts";
import { isConfirmedByAnother, readMailAccount } from "../../store/mail/mailAccounts.ts";
import { readSuppressed } from "../../store/mail/mails.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";
import { readRecipients } from "../notifications/audience.ts";
import {
  addressChangeText,
  announcementText,
  confirmText,
  type Facts,
  inviteText,
  passwordChangedText,
  recoverText,
  testText,
} from "./mailTexts.ts";
import { issueMailedCode, playerNamed } from "./recoverMail.ts";

/** The text and the address of a mail, or why it is not sent. */
type Composed = { to: string; content: Content; unsubscribe?: string } | { dropped: string };

/** What a kind of mail says. */
type Template = (
  player: Player,
  facts: Facts,
  mail: Mail,
  run: WorkerContext & { game: Game },
) => Composed | Promise<Composed>;

const SUPPRESSED = { dropped: "the address is suppressed" };

const toOwnAddress = ({ email }: Player, content: Content): Composed =>
  email === null ? { dropped: "the account has no address" } : { to: email, content };

/** The link to confirm an address, if no newer one was sent. */
const confirmation: Template = async (player, facts, { mail_id }, { services }) => {
  const { store, mailKeys: source, clock } = services;
  const account = await readMailAccount(store.db, player.player_id);
  const to = addressConfirmedBy(account, mail_id, clock());
  if (to === null || !isSameEmail(to, awaitedAddress(player)))
    return { dropped: "a newer link was sent, or the address has changed" };
  if (source === null) return { dropped: "the deployment has no mail keys" };
  const token = mailToken(await mailKeys(source), "confirm", mail_id);
  return {
    to,
    content: confirmText({ ...facts, link: `${facts.publicUrl}${PAGES.confirm}#token=${token}` }),
  };
};

/** The address at which a player sets a password with a code. */
export const passwordLink = ({ alias, publicUrl }: Facts, code: string): string =>
  `${publicUrl}${PAGES.recover}#${new URLSearchParams({ alias, token: code })}`;

/** The invitation of somebody, whose link does not work. */
export const sampleInvitation = (facts: Facts): Content =>
  inviteText({ ...facts, link: passwordLink(facts, SAMPLE_TOKEN) });

/** The link with which a player sets a password. @param why why one gets none */
const passwordMail =
  (text: (facts: Facts & { link: string }) => Content, why: string): Template =>
  async (player, facts, mail, { services, timeLeft }) => {
    const { mailKeys: source } = services;
    if (source === null) return { dropped: "the deployment has no mail keys" };
    const code = await issueMailedCode(services, await mailKeys(source), player, mail, timeLeft);
    if (code === null) return { dropped: why };
    return toOwnAddress(player, text({ ...facts, link: passwordLink(facts, code) }));
  };

/** An invitation, to an address that nobody else has confirmed. */
const invitation: Template = async (player, facts, mail, run) => {
  const { email, player_id } = player;
  if (email === null) return { dropped: "the account has no address" };
  const { db } = run.services.store;
  if ((await readSuppressed(db, email)) !== null) return SUPPRESSED;
  if (await isConfirmedByAnother(db, player_id, email))
    return { dropped: "another account has confirmed the address" };
  return passwordMail(
    inviteText,
    "a newer invitation was sent, or this one was accepted, or the player is banned",
  )(player, facts, mail, run);
};

/** The page that switches a kind of mails off, which is also where a POST does it. */
const unsubscribeAddress = async (
  { services: { mailKeys: source, clock } }: WorkerContext,
  { publicUrl }: Pick<MailSettings, "publicUrl">,
  kind: OptionalMail,
  playerId: string,
): Promise<string | null> =>
  source === null
    ? null
    : `${publicUrl}${UNSUBSCRIBE}?token=${unsubscribeToken(await mailKeys(source), kind, playerId, clock())}`;

/** An announcement, if the player is still among those whom it is for. A withdrawn one is a test to its sender. */
const announcement: Template = async (player, facts, { notification_id = "" }, run) => {
  const { services, game } = run;
  const record = await notificationRecord(services.store, game, notification_id);
  if (record === null) return { dropped: "the announcement does not exist any more" };
  const { notification, scheduling } = record;
  const isTest = scheduling === "withdrawn";
  const { player_id } = player;
  const isMeant = await readRecipients(services, game, notification, { of: player_id });
  if (isTest ? player_id !== notification.player_id : !isMeant(player))
    return { dropped: "the announcement is not for this player any more" };
  const unsubscribe = await unsubscribeAddress(run, facts, "announcement", player_id);
  if (unsubscribe === null) return { dropped: "the deployment has no mail keys" };
  const { title, content: text } = notification;
  const link = `${facts.publicUrl}${PAGES.inbox}`;
  return {
    ...toOwnAddress(player, announcementText({ ...facts, title, text, link, unsubscribe })),
    unsubscribe,
  };
};

/** Why an optional mail is not sent to a player; `null` if it may be. */
const reasonAgainst = async (
  kind: OptionalMail,
  { email_confirmed, mail_kinds, player_id }: Player,
  { services: { store, clock } }: WorkerContext,
): Promise<string | null> => {
  if (email_confirmed !== true) return "the address is not confirmed";
  if (!isMailWanted(kind, mail_kinds)) return "the player does not want such mails";
  const { credential } = await store.account(player_id);
  return credential === null || isBanned(credential, clock()) ? "the player is banned" : null;
};

const TEMPLATES: Record<MailKind, Template> = {
  test: (player, facts, { sample }) =>
    toOwnAddress(player, sample === "invite" ? sampleInvitation(facts) : testText(facts)),
  confirm: confirmation,
  recover: passwordMail(recoverText, "the player is banned, or was sent too many"),
  invite: invitation,
  password_changed: (player, facts) =>
    player.email_confirmed === true
      ? toOwnAddress(player, passwordChangedText({ ...facts, link: `${facts.publicUrl}${PAGES.recover}` }))
      : { dropped: "the address is not confirmed" },
  announcement,
  address_change: (_, facts, { to = "" }) => ({
    to,
    content: addressChangeText({ ...facts, link: `${facts.publicUrl}${PAGES.profile}` }),
  }),
};

/** A message, and the id of its recipient. */
export interface ComposedMail {
  message: Message;
  player_id: string;
}

/** Returns the message of a mail and its recipient, or why it is not sent. */
export const composeMail = async (
  run: WorkerContext,
  { from, publicUrl }: MailSettings,
  mail: Mail,
): Promise<ComposedMail | { dropped: string }> => {
  const { store } = run.services;
  const { mail_id, kind, player_id, at, named = "" } = mail;
  const [player, game] = await Promise.all([
    player_id === null ? playerNamed(store, named) : store.player(player_id),
    store.game(),
  ]);
  if (player === null) return { dropped: "the account does not exist, or has no address that is confirmed" };
  const optional = optionalMail(kind);
  const reason = optional === undefined ? null : await reasonAgainst(optional, player, run);
  if (reason !== null) return { dropped: reason };
  const { name } = game.settings;
  const facts = { game: name, alias: player.alias, publicUrl };
  const composed = await TEMPLATES[kind](player, facts, mail, { ...run, game });
  if ("dropped" in composed) return composed;
  const { to, content, unsubscribe } = composed;
  if ((await readSuppressed(store.db, to)) !== null) return SUPPRESSED;
  return {
    player_id: player.player_id,
    message: {
      id: mail_id,
      from: { name: senderName(name), address: from },
      to,
      date: instantOf(at),
      content,
      ...(unsubscribe === undefined ? {} : { unsubscribe }),
    },
  };
};
