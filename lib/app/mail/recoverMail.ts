/**
 * The links with which somebody sets a password: who has forgotten it, or was invited. The request of the former stores what
 * was typed and nothing else, so that its duration tells nothing about accounts; whose it is, and whether they get a link, is
 * found out here.
 */
import { isBanned } from "../../auth/credentials.ts";
import { mailedRecoveryCode } from "../../auth/mailToken.ts";
import { newRecovery } from "../../auth/recovery.ts";
import { isSameAlias } from "../../domain/accounts/alias.ts";
import { counted } from "../../domain/mail/account.ts";
import { INVITED_MS } from "../../domain/mail/invitation.ts";
import type { Mail } from "../../domain/mail/mail.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import type { MailKey } from "../../secrets/secrets.ts";
import { emailHash } from "../../store/accounts/emails.ts";
import { keys } from "../../store/keys.ts";
import { confirmedOwner, mailAccountWrite, readMailAccount } from "../../store/mail/mailAccounts.ts";
import type { Store } from "../../store/store.ts";

/** The player who is meant by an alias or by an address that they have confirmed; `null` if there is none. */
export const playerNamed = async (store: Store, named: string): Promise<Player | null> => {
  const byAlias = await store.playerIdByAlias(named);
  const id = byAlias ?? (named.includes("@") ? await confirmedOwner(store.db, named) : null);
  const player = id === null ? null : await store.player(id);
  if (player === null || player.email_confirmed !== true) return null;
  return byAlias === null || isSameAlias(player.alias, named) ? player : null;
};

/**
 * Issues the recovery code of a mail, which voids an earlier one and belongs to the address to which it is sent. A link for a
 * forgotten password is counted; an invitation was, when it was put into the outbox.
 * @returns the code; `null` if the player gets none: banned, too many were sent, or the invitation is not the latest one or was
 *   accepted
 */
export const issueMailedCode = async (
  { store, clock }: Pick<Services, "store" | "clock">,
  tokenKeys: readonly MailKey[],
  { player_id, rev, email }: Player,
  { mail_id, kind }: Mail,
  timeLeft: () => number,
): Promise<string | null> => {
  const now = clock();
  const isInvitation = kind === "invite";
  const [account, recovery, { credential }] = await Promise.all([
    readMailAccount(store.db, player_id),
    store.recovery(player_id),
    store.account(player_id),
  ]);
  if (credential === null || isBanned(credential, now)) return null;
  if (isInvitation && (credential.invited !== true || account.invitation !== mail_id)) return null;
  const letters = mailedRecoveryCode(tokenKeys, mail_id);
  const validMs = isInvitation ? INVITED_MS : undefined;
  const { code, write } = newRecovery(player_id, recovery, now, validMs, letters);
  // An earlier attempt to send this mail has issued it.
  if (recovery?.mail_id === mail_id) return code;
  const issued: Write = {
    ...write,
    put: {
      ...write.put,
      mail_id,
      ...(email === null ? {} : { email_hash: emailHash(email) }),
    },
  };
  const after = isInvitation ? account : counted(account, "recover", now);
  if (after === null) return null;
  const writes: Write[] = [
    issued,
    { check: keys.player(player_id), expect: { rev } },
    // Fails if the player was banned meanwhile, or has accepted an earlier invitation.
    { check: keys.credential(player_id), expect: { rev: credential.rev } },
    ...(isInvitation ? [] : [mailAccountWrite(player_id, account, after)]),
  ];
  await store.commit(writes, timeLeft);
  return code;
};
