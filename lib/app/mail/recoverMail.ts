/**
 * The link for somebody who has forgotten the password. The request stores what was typed and nothing else, so that its
 * duration tells nothing about accounts; whose it is, and whether they get a link, is found out here.
 */
import { mailedRecoveryCode } from "../../auth/mailToken.ts";
import { newRecovery } from "../../auth/recovery.ts";
import { isSameAlias } from "../../domain/accounts/alias.ts";
import { counted } from "../../domain/mail/account.ts";
import type { Mail } from "../../domain/mail/mail.ts";
import type { Player } from "../../domain/players/player.ts";
import { instantOf } from "../../domain/time.ts";
import type { Services } from "../../lambda/services.ts";
import type { MailKey } from "../../secrets/secrets.ts";
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
 * Issues the recovery code of a mail, which voids an earlier one, and counts the mail.
 * @returns the code; `null` if the player gets none: banned, or too many were sent
 */
export const issueMailedCode = async (
  { store, clock }: Pick<Services, "store" | "clock">,
  tokenKeys: readonly MailKey[],
  { player_id, rev }: Player,
  { mail_id }: Mail,
  timeLeft: () => number,
): Promise<string | null> => {
  const now = clock();
  const [account, recovery, { credential }] = await Promise.all([
    readMailAccount(store.db, player_id),
    store.recovery(player_id),
    store.account(player_id),
  ]);
  const until = credential?.ban?.until;
  if (credential === null || until === null || (until !== undefined && instantOf(until) > now)) return null;
  const letters = mailedRecoveryCode(tokenKeys, mail_id);
  const { code, write } = newRecovery(player_id, recovery, now, undefined, letters);
  // An earlier attempt to send this mail has issued it.
  if (recovery?.mail_id === mail_id) return code;
  const after = counted(account, "recover", now);
  if (after === null) return null;
  const issued = { ...write, put: { ...write.put, mail_id } };
  const isThere = { check: keys.player(player_id), expect: { rev } } as const;
  await store.commit([issued, mailAccountWrite(player_id, account, after), isThere], timeLeft);
  return code;
};
