/** Asks players to confirm their e-mail addresses, and confirms them. */
import { idOfToken } from "../../auth/mailToken.ts";
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
import type { Changes } from "../../store/changes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import {
  confirmedWrites,
  isConfirmedByAnother,
  mailAccountWrite,
  readMailAccount,
} from "../../store/mail/mailAccounts.ts";
import { mailWrite, readMail } from "../../store/mail/mails.ts";
import type { CurrentGame } from "../../store/shownGame.ts";
import type { Store } from "../../store/store.ts";

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

/** Whom an address concerns that a player has just proved to be theirs: players who had confirmed it and have left, and bans. */
const concernedBy = async (db: Database, player_id: string, email: string, now: number) => {
  const [bans, { claims, confirmed }] = await Promise.all([readBans(db), findFormer(db, { email })]);
  const former = [...confirmed].filter((id) => id !== player_id);
  const ban = banOf(bans, { player_id, email, former }, now);
  return { bans, ban, left: claims.filter(({ of }) => former.includes(of)) };
};

/** What follows for a player who has just proved that an address is theirs, which nobody else has confirmed. */
const changesConfirming = async (
  store: Store,
  game: CurrentGame,
  player: Player,
  email: string,
  { bans, ban, left }: Awaited<ReturnType<typeof concernedBy>>,
): Promise<Changes> => {
  const basedOn = await store.gameFor(game, player);
  if (ban !== undefined) {
    const review = withReasons(player.review, [
      { kind: "banned", by: "address", of: ban.ban_id, confirmed: true },
    ]);
    return { players: [{ before: player, after: { ...player, review } }], basedOn };
  }
  const confirmed = withConfirmedAddress(player, email, emailHash);
  const review = withReasons(player.review, left);
  const change = { before: player, after: review.length === 0 ? confirmed : { ...confirmed, review } };
  return {
    players: [change],
    basedOn,
    writes: [
      // A ban that is made at the same time either finds the confirmed address, or is found here.
      bansCheck(bans),
      ...(await emailWrites(store, change, game.settings.unique_email)),
      ...(await confirmedWrites(store.db, change)),
    ],
  };
};

/**
 * The changes after which a player has confirmed their address because a secret was sent to it. None if another account has
 * confirmed it: the player needs the account all the same. Game masters have a review if the address is banned.
 */
export const confirmedChanges = async (store: Store, player: Player, now: number): Promise<Changes> => {
  const { email, player_id } = player;
  if (
    email === null ||
    player.email_confirmed === true ||
    (await isConfirmedByAnother(store.db, player_id, email))
  )
    return {};
  const concerned = await concernedBy(store.db, player_id, email, now);
  return changesConfirming(store, await store.game(), player, email, concerned);
};

/** The same for a token of another service, of an earlier link, and for one that was used or has expired. */
const badLink = (): DomainError =>
  new DomainError(
    "code_not_valid",
    "This link is not valid any more. Ask for a new one on your profile page.",
  );

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
  const mailId = source === null ? null : idOfToken(await mailKeys(source), "confirm", token);
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
    if (await isConfirmedByAnother(db, playerId, email))
      throw new DomainError("email_taken", "Another account has confirmed this e-mail address.");
    Object.assign(audit, { actor: playerId, target: playerId });
    const concerned = await concernedBy(db, playerId, email, now);
    const { bans, ban, left } = concerned;
    if (ban === undefined && isReturn(player, email, left)) {
      const basedOn = await store.gameFor(game, player);
      // Imported on demand: few players have left.
      const { decideReturned } = await import("./reviewDecision.ts");
      const returning = { target: player, departureId: left[0]?.of, confirmed: email };
      const { changes } = await decideReturned(store, returning, basedOn, context, timeLeft);
      audit.target = left[0]?.of ?? null;
      return {
        changes: { ...changes, writes: [...(changes.writes ?? []), bansCheck(bans)] },
        result: undefined,
      };
    }
    const confirmed = await changesConfirming(store, game, player, email, concerned);
    const used = mailAccountWrite(playerId, account, withoutConfirmation(account));
    const changes = { ...confirmed, writes: [used, ...(confirmed.writes ?? [])] };
    if (ban === undefined) return { changes, result: undefined };
    return {
      changes,
      error: new DomainError("banned", "Whoever has this e-mail address is banned from the game."),
    };
  });
};
