/** Asks players to confirm their e-mail addresses, and confirms them. */
import { mailIdOf } from "../../auth/mailToken.ts";
import { withConfirmedAddress } from "../../domain/accounts/renaming.ts";
import { type ReviewReason, withReasons } from "../../domain/accounts/review.ts";
import { DomainError } from "../../domain/domainError.ts";
import { addressConfirmedBy, withConfirmation, withoutConfirmation } from "../../domain/mail/account.ts";
import { awaitedAddress } from "../../domain/mail/awaited.ts";
import { isPending, type Player } from "../../domain/players/player.ts";
import type { Database, Write } from "../../dynamodb/database.ts";
import type { PublicCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { mailKeys } from "../../secrets/mailKeys.ts";
import { banOf, bansCheck, readBans } from "../../store/accounts/bans.ts";
import { findFormer } from "../../store/accounts/departures.ts";
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

/** Whom an address concerns that a player has just proved to be theirs: players who had confirmed it and have left, and bans. */
const concernedBy = async (db: Database, player_id: string, email: string, now: number) => {
  const [bans, { claims, confirmed }] = await Promise.all([readBans(db), findFormer(db, { email })]);
  const former = [...confirmed].filter((id) => id !== player_id);
  const ban = banOf(bans, { player_id, email, former }, now);
  return { bans, ban, left: claims.filter(({ of }) => former.includes(of)) };
};

/** Somebody who waits comes back by their address, if nothing else is to be decided about them (decision 142). */
const isReturn = (player: Player, email: string, [claim, ...others]: readonly ReviewReason[]): boolean => {
  const { review = [], is_admin, is_moderator } = player;
  const isSame = ({ kind, of }: ReviewReason): boolean => kind === "returns" && of === claim?.of;
  return (
    claim !== undefined &&
    others.length === 0 &&
    isPending(player) &&
    !is_admin &&
    !is_moderator &&
    isSameEmail(player.email, email) &&
    review.every(isSame)
  );
};

/**
 * Confirms an address by the token of a link. Somebody who waits and had confirmed the same address before they left comes
 * back as if they had stayed.
 * @throws DomainError `code_not_valid`; `email_taken` if another account has confirmed the address; `banned`, then game
 *   masters have a review
 */
export const confirmAddress = async (
  { audit, context, now, services, decide, timeLeft }: PublicCall<undefined>,
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
    const { bans, ban, left } = await concernedBy(db, playerId, email, now);
    const used = mailAccountWrite(playerId, account, withoutConfirmation(account));
    const basedOn = await store.gameFor(game, player);
    if (ban !== undefined) {
      const review = withReasons(player.review, [
        { kind: "banned", by: "address", of: ban.ban_id, confirmed: true },
      ]);
      return {
        changes: { players: [{ before: player, after: { ...player, review } }], basedOn, writes: [used] },
        error: new DomainError("banned", "Whoever has this e-mail address is banned from the game."),
      };
    }
    // A ban that is made at the same time either finds the confirmed address, or is found here.
    const noBan = bansCheck(bans);
    if (isReturn(player, email, left)) {
      // Imported on demand: few players have left.
      const { decideReturned } = await import("./reviewDecision.ts");
      const { changes } = await decideReturned(store, player, left[0]?.of, basedOn, context, timeLeft, email);
      audit.target = left[0]?.of ?? null;
      return { changes: { ...changes, writes: [...(changes.writes ?? []), noBan] }, result: undefined };
    }
    const confirmed = withConfirmedAddress(player, email, emailHash);
    const review = withReasons(player.review, left);
    const change = { before: player, after: review.length === 0 ? confirmed : { ...confirmed, review } };
    return {
      changes: {
        players: [change],
        basedOn,
        writes: [
          used,
          noBan,
          ...(await emailWrites(store, change, game.settings.unique_email)),
          ...(await confirmedWrites(db, change)),
        ],
      },
      result: undefined,
    };
  });
};
