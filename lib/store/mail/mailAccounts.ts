/** What is stored of each account's mails, and who has confirmed an address. */
import { MailAccount, NO_MAILS } from "../../domain/mail/account.ts";
import type { PlayerChange } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { emailHash } from "../accounts/emails.ts";
import { parseIfFound, parseOwner, withoutKeys } from "../items.ts";
import { keys } from "../keys.ts";

/** Reads what is stored of an account's mails. */
export const readMailAccount = async (db: Database, playerId: string): Promise<MailAccount> =>
  parseIfFound(await db.get(keys.mailAccount(playerId)), (item) => MailAccount.parse(withoutKeys(item))) ??
  NO_MAILS;

/** The write of what is stored of an account's mails, on condition that it has not changed since it was read. */
export const mailAccountWrite = (playerId: string, read: MailAccount, after: MailAccount): Write => ({
  put: { ...after, ...keys.mailAccount(playerId), rev: read.rev + 1 },
  expect: read.rev === 0 ? "absent" : { rev: read.rev },
});

/** The id of the player who has confirmed an address; `null` if nobody has. */
export const confirmedOwner = async (db: Database, email: string): Promise<string | null> =>
  parseIfFound(await db.get(keys.confirmedEmail(emailHash(email))), parseOwner);

/** Whether another account than a player's has confirmed an address. */
export const isConfirmedByAnother = async (
  db: Database,
  playerId: string,
  email: string,
): Promise<boolean> => {
  const owner = await confirmedOwner(db, email);
  return owner !== null && owner !== playerId;
};

const confirmedHash = (player: Pick<Player, "email" | "email_confirmed"> | null): string | null =>
  player?.email_confirmed === true && player.email !== null ? emailHash(player.email) : null;

/** The guard of a confirmed address; `null` without one. */
export const confirmedGuard = (
  player: Pick<Player, "player_id" | "email" | "email_confirmed">,
): StoredItem | null => {
  const hash = confirmedHash(player);
  return hash === null ? null : { ...keys.confirmedEmail(hash), player_id: player.player_id };
};

/** The write that gives the confirmed address of an account to the one that it becomes, whose address is the same. */
export const movedConfirmationWrites = ({ before, after }: { before: Player; after: Player }): Write[] => {
  const guard = confirmedGuard(after);
  if (guard === null) return [];
  const { player_id } = before;
  return [{ put: guard, expect: confirmedHash(before) === null ? "absent" : { is: { player_id } } }];
};

/**
 * The writes that keep the owner of a confirmed address in step with a player. The transaction fails if another account
 * has confirmed the address meanwhile.
 */
export const confirmedWrites = async (db: Database, { before, after }: PlayerChange): Promise<Write[]> => {
  const [old, current] = [confirmedHash(before), confirmedHash(after)];
  if (old === current) return [];
  const writes: Write[] = [];
  if (old !== null && before !== null) {
    const { player_id } = before;
    const owner = parseIfFound(await db.get(keys.confirmedEmail(old)), parseOwner);
    if (owner === player_id) writes.push({ remove: keys.confirmedEmail(old), expect: { is: { player_id } } });
  }
  const guard = after === null ? null : confirmedGuard(after);
  if (guard !== null) writes.push({ put: guard, expect: "absent" });
  return writes;
};
