/** Who was invited by mail, what became of each invitation, and who came. */
import { gm } from "../../../text/staff.ts";
import { type Mail, read, type StaffPlayer } from "../../calls.ts";
import { readAllPlayers } from "../../roster.ts";

/** `none`: no invitation was sent in 30 days. `came`: they were invited by mail, and have set a password. */
export type Standing = "came" | "waiting" | "sent" | "bounced" | "failed" | "none";

export interface Invited {
  player: Pick<StaffPlayer, "alias" | "email" | "player_ref" | "first_name" | "last_name">;
  standing: Standing;
  /** Why the mail was not sent, in words. */
  reason: string | null;
}

const PAGE_SIZE = 1_000;
/** More pages have only mails of long ago. */
const MAX_PAGES = 20;

/** The latest invitation to each player, by alias. */
const readInvitations = async (): Promise<Map<string, Mail>> => {
  const latest = new Map<string, Mail>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { mails, next_cursor } = await read("mail", {
      limit: PAGE_SIZE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const mail of mails)
      if (mail.kind === "invite" && mail.alias !== null && !latest.has(mail.alias))
        latest.set(mail.alias, mail);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return latest;
};

const STANDINGS: Readonly<Record<Mail["state"], Standing>> = {
  queued: "waiting",
  sending: "waiting",
  sent: "sent",
  bounced: "bounced",
  failed: "failed",
  dropped: "failed",
};

/** A code of the server helps whoever operates the service, and is on the page of mails. */
const reasonOf = (reason: string | null): string | null =>
  reason !== null && /^E[A-Z]+ /.test(reason) ? gm.invitations.serverRefused : reason;

/** Everybody who was imported and has not set a password, and those who came by a mail. */
export const readInvited = async (): Promise<Invited[]> => {
  const [mails, invited, everybody] = await Promise.all([
    readInvitations(),
    readAllPlayers({ invited: "true" }),
    readAllPlayers(),
  ]);
  const open = new Set(invited.map(({ alias }) => alias));
  return everybody.flatMap((player): Invited[] => {
    const mail = mails.get(player.alias);
    if (!open.has(player.alias))
      return mail?.state === "sent" ? [{ player, standing: "came", reason: null }] : [];
    const standing = mail === undefined ? "none" : STANDINGS[mail.state];
    return [
      {
        player,
        standing,
        reason: standing === "failed" ? reasonOf(mail?.reason ?? null) : null,
      },
    ];
  });
};
