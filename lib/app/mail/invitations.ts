/** Invitations by mail: who gets one, and what puts it into the outbox. */
import { isBanned } from "../../auth/credentials.ts";
import { MailAccount, NO_MAILS, withInvitation } from "../../domain/mail/account.ts";
import { type Standing, whyNotInvited } from "../../domain/mail/invitation.ts";
import { isDone, mailAt } from "../../domain/mail/mail.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import { type Key, nameOf } from "../../dynamodb/key.ts";
import { parseCredential } from "../../store/accounts/accountItems.ts";
import { emailHash } from "../../store/accounts/emails.ts";
import { parseOwner, withoutKeys } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { mailAccountWrite } from "../../store/mail/mailAccounts.ts";
import { mailWrite, parseMail } from "../../store/mail/mails.ts";
import type { Store } from "../../store/store.ts";

/** Reads items by their keys. */
const readItems = async ({ db }: Store, wanted: readonly Key[]) => {
  const items = await db.getMany(wanted);
  const found = new Map(items.map((item) => [nameOf(item), item]));
  return (key: Key) => found.get(nameOf(key));
};

/** What decides about the invitations of some players, by their ids. @param now milliseconds since 1970 */
export const readStandings = async (
  store: Store,
  players: readonly Player[],
  now: number,
): Promise<Map<string, Standing>> => {
  const find = await readItems(
    store,
    players.flatMap(({ player_id, email }) => [
      keys.credential(player_id),
      keys.mailAccount(player_id),
      ...(email === null ? [] : [keys.suppressed(emailHash(email)), keys.confirmedEmail(emailHash(email))]),
    ]),
  );
  const accountOf = ({ player_id }: Player): MailAccount => {
    const item = find(keys.mailAccount(player_id));
    return item === undefined ? NO_MAILS : MailAccount.parse(withoutKeys(item));
  };
  const accounts = new Map(players.map((player) => [player.player_id, accountOf(player)]));
  const findMail = await readItems(
    store,
    [...accounts.values()].flatMap(({ invitation }) =>
      invitation === undefined ? [] : [keys.mail(invitation)],
    ),
  );
  return new Map(
    players.map(({ player_id, email }) => {
      const stored = find(keys.credential(player_id));
      const credential = stored === undefined ? null : parseCredential(stored);
      const hash = email === null ? null : emailHash(email);
      const guard = hash === null ? undefined : find(keys.confirmedEmail(hash));
      const account = accounts.get(player_id) ?? NO_MAILS;
      const mail = account.invitation === undefined ? undefined : findMail(keys.mail(account.invitation));
      return [
        player_id,
        {
          isInvited: credential?.invited === true,
          isBanned: credential !== null && isBanned(credential, now),
          isSuppressed: hash !== null && find(keys.suppressed(hash)) !== undefined,
          isTaken: guard !== undefined && parseOwner(guard) !== player_id,
          isWaiting: mail !== undefined && !isDone(mailAt(parseMail(mail), now)),
          account,
        },
      ];
    }),
  );
};

/**
 * The writes that put an invitation into the outbox, on condition that the player is still there and got no other one
 * meanwhile. None for a player who gets none.
 */
export const invitationWrites = (
  player: Player,
  standing: Standing | undefined,
  { newId, now }: { newId: () => string; now: number },
): Write[] => {
  if (standing === undefined || whyNotInvited(player, standing, now) !== null) return [];
  const { player_id, rev } = player;
  const mail_id = newId();
  const after = withInvitation(standing.account, mail_id, now);
  if (after === null) return [];
  return [
    { check: keys.player(player_id), expect: { rev } },
    mailAccountWrite(player_id, standing.account, after),
    mailWrite(mail_id, { kind: "invite", player_id }, now),
  ];
};
