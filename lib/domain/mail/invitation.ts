/** Who can be invited by mail, and why others cannot. Pure. */
import type { Player } from "../players/player.ts";
import { DAY } from "../time.ts";
import type { MailAccount } from "./account.ts";
import { withInvitation } from "./account.ts";

/** How long the link of an invitation by mail is valid. */
export const INVITED_MS = 7 * DAY;

/**
 * Why somebody gets no invitation. `deleted`: nobody has the alias. `accepted`: they have set a password. `email_taken`:
 * another account has confirmed the address. `suppressed`: a server has refused it. `waiting`: an earlier invitation is
 * still to be sent. `too_many`: there was one within a minute, or there were five within an hour.
 */
export const NOT_INVITED = [
  "deleted",
  "banned",
  "accepted",
  "no_address",
  "suppressed",
  "email_taken",
  "waiting",
  "too_many",
] as const;
export type NotInvited = (typeof NOT_INVITED)[number];

/** What decides about an invitation, besides the player. */
export interface Standing {
  /** Whether the player was imported and has not set a password yet. */
  isInvited: boolean;
  isBanned: boolean;
  isSuppressed: boolean;
  isTaken: boolean;
  isWaiting: boolean;
  account: MailAccount;
}

/** Why a player gets no invitation; `null` if they get one. @param now milliseconds since 1970 */
export const whyNotInvited = (
  { email }: Pick<Player, "email">,
  { isInvited, isBanned, isSuppressed, isTaken, isWaiting, account }: Standing,
  now: number,
): Exclude<NotInvited, "deleted"> | null => {
  if (isBanned) return "banned";
  if (!isInvited) return "accepted";
  if (email === null) return "no_address";
  if (isSuppressed) return "suppressed";
  if (isTaken) return "email_taken";
  if (isWaiting) return "waiting";
  return withInvitation(account, "", now) === null ? "too_many" : null;
};
