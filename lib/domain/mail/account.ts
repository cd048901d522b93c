/** What is stored of an account's mails: the links that are valid, and when some were sent. Pure. */
import * as z from "zod/mini";
import { integer, number, optionalText, text } from "../schemas.ts";
import { HOUR, MINUTE } from "../time.ts";

/** The kinds of links that are counted. */
const LINKS = ["confirm", "recover", "invite"] as const;
type Link = (typeof LINKS)[number];

/** A link that is valid until it is used or another one is sent. `expires` is milliseconds since 1970. */
const Confirmation = z.looseObject({ mail_id: text, email: text, expires: number });

export const MailAccount = z.lazy(() =>
  z.looseObject({
    rev: integer,
    confirmation: z.optional(Confirmation),
    /** The mail with the latest invitation. */
    invitation: optionalText,
    /** When the latest mails of a kind were asked for, in milliseconds since 1970. */
    sent: z._default(z.partialRecord(z.enum(LINKS), z.array(number)), {}),
  }),
);
export type MailAccount = z.infer<typeof MailAccount>;

export const NO_MAILS: MailAccount = { rev: 0, sent: {} };

/** How many mails of a kind an account gets in an hour, and the least time between two of them. */
const MAX_PER_HOUR = 5;
const MIN_PAUSE_MS = MINUTE;

/** Counts a mail of a kind. @returns `null` if it would be one too many */
export const counted = (account: MailAccount, kind: Link, now: number): MailAccount | null => {
  const recent = (account.sent[kind] ?? []).filter((at) => at > now - HOUR);
  const last = recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  if (recent.length >= MAX_PER_HOUR || now - last < MIN_PAUSE_MS) return null;
  return { ...account, sent: { ...account.sent, [kind]: [...recent, now] } };
};

/** When an account was last sent an invitation, in milliseconds since 1970. */
export const lastInvited = ({ sent: { invite = [] } }: MailAccount): number =>
  invite.at(-1) ?? Number.NEGATIVE_INFINITY;

/** How long a link that confirms an address is valid. */
const CONFIRMATION_MS = 24 * HOUR;

/** The account with a new link, which voids the one before. @returns `null` if too many were sent: then that one stays valid */
export const withConfirmation = (
  account: MailAccount,
  { mail_id, email }: { mail_id: string; email: string },
  now: number,
): MailAccount | null => {
  const after = counted(account, "confirm", now);
  return after && { ...after, confirmation: { mail_id, email, expires: now + CONFIRMATION_MS } };
};

/** The address that a link confirms; `null` if it is not the latest, was used or has expired. */
export const addressConfirmedBy = (
  { confirmation }: MailAccount,
  mailId: string,
  now: number,
): string | null =>
  confirmation?.mail_id === mailId && confirmation.expires > now ? confirmation.email : null;

/** The account after the link was used. */
export const withoutConfirmation = ({ confirmation: _, ...account }: MailAccount): MailAccount => account;

/** The account with another invitation, which voids the one before. @returns `null` if too many were sent: then that one stays valid */
export const withInvitation = (account: MailAccount, mail_id: string, now: number): MailAccount | null => {
  const after = counted(account, "invite", now);
  return after && { ...after, invitation: mail_id };
};
