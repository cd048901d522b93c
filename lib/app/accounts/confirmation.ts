/** Asks players to confirm their e-mail addresses, and confirms them. */
import { mailIdOf } from "../../auth/mailToken.ts";
import { withConfirmedAddress } from "../../domain/accounts/renaming.ts";
import { DomainError } from "../../domain/domainError.ts";
import { addressConfirmedBy, withConfirmation, withoutConfirmation } from "../../domain/mail/account.ts";
import { awaitedAddress } from "../../domain/mail/awaited.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PublicCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { mailKeys } from "../../secrets/mailKeys.ts";
import { emailHash, emailWrites, isSameEmail } from "../../store/accounts/emails.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import {
  confirmedOwner,
  confirmedWrites,
  mailAccountWrite,
  readMailAccount,
} from "../../store/mail/mailAccounts.ts";
import { mailWrite, readMail } from "../../store/mail/mails.ts";

/**
 * The writes that send a link to the address that a player has to confirm. None without mail, for a player who has nothing
 * to confirm, and if too many links were sent: then the latest one stays valid.
 * @param now milliseconds since 1970
 */
export const confirmationWrites = async (
  { store, mail, newId }: Pick<Services, "store" | "mail" | "newId">,
  player: Player,
  now: number,
): Promise<Write[]> => {
  const email = awaitedAddress(player);
  if (mail === null || email === null) return [];
  const { player_id } = player;
  const read = await readMailAccount(store.db, player_id);
  const mail_id = newId();
  const after = withConfirmation(read, { mail_id, email }, now);
  if (after === null) return [];
  return [mailAccountWrite(player_id, read, after), mailWrite(mail_id, { kind: "confirm", player_id }, now)];
};

/** The same for a token of another service, of an earlier link, and for one that was used or has expired. */
const badLink = (): DomainError =>
  new DomainError(
    "code_not_valid",
    "This link is not valid any more. Ask for a new one on your profile page.",
  );

/**
 * Confirms an address by the token of a link.
 * @throws DomainError `code_not_valid`; `email_taken` if another account has confirmed the address
 */
export const confirmAddress = async (
  { audit, now, services, decide }: PublicCall<undefined>,
  token: string,
): Promise<CommandResponse> => {
  const { store, mailKeys: source } = services;
  const { db } = store;
  const mailId = source === null ? null : mailIdOf(await mailKeys(source), "confirm", token);
  const mail = mailId === null ? null : await readMail(db, mailId);
  const playerId = mail?.player_id ?? null;
  if (mailId === null || playerId === null) throw badLink();
  return decide(async () => {
    const [player, account, game] = await Promise.all([
      store.player(playerId),
      readMailAccount(db, playerId),
      store.game(),
    ]);
    const email = addressConfirmedBy(account, mailId, now);
    if (player === null || email === null || !isSameEmail(awaitedAddress(player), email)) throw badLink();
    const owner = await confirmedOwner(db, email);
    if (owner !== null && owner !== playerId)
      throw new DomainError("email_taken", "Another account has confirmed this e-mail address.");
    Object.assign(audit, { actor: playerId, target: playerId });
    const change = { before: player, after: withConfirmedAddress(player, email, emailHash) };
    return {
      changes: {
        players: [change],
        basedOn: await store.gameFor(game, player),
        writes: [
          mailAccountWrite(playerId, account, withoutConfirmation(account)),
          ...(await emailWrites(store, change, game.settings.unique_email)),
          ...(await confirmedWrites(db, change)),
        ],
      },
      result: undefined,
    };
  });
};
