/** What game masters see of mails, and what they can do about those that were not sent. */
import { DomainError } from "../../domain/domainError.ts";
import { isRepeatable, isToAll, type Mail, mailAt } from "../../domain/mail/mail.ts";
import type { Player } from "../../domain/players/player.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import type { PlayerCall, ReadCall } from "../../lambda/call.ts";
import { readMessage } from "../../mail/outbox.ts";
import { emailHash } from "../../store/accounts/emails.ts";
import type { Decision } from "../../store/decide.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import {
  liftWrite,
  mailChange,
  mailEntries,
  mailWrite,
  parseMail,
  readAllSuppressed,
  readMail,
  readSuppressed,
} from "../../store/mail/mails.ts";
import type { Store } from "../../store/store.ts";
import { confirmationWrites } from "../accounts/confirmation.ts";
import { findTarget, type PlayerName } from "../currentState.ts";
import { loadAliases } from "../lookups.ts";
import { invitationWrites, readStandings } from "./invitations.ts";

/** The suppressed addresses that an account has at present, or waits to confirm, the latest first. */
const listSuppressed = async (store: Store) => {
  const all = await readAllSuppressed(store.db);
  const players = await store.players(all.flatMap(({ player_id }) => player_id ?? []));
  return all
    .flatMap(({ at, reason, player_id, hash }) => {
      const player = player_id === null ? undefined : players.get(player_id);
      const hashes = [player?.email, player?.pending_email].map((one) => one && emailHash(one));
      return player !== undefined && hashes.includes(hash) ? [{ alias: player.alias, at, reason }] : [];
    })
    .toSorted((one, other) => (one.at < other.at ? 1 : -1));
};

/** Whether somebody sees a mail. Who gets an announcement to a side tells the side. */
const isShown = (mail: Mail, { player, game, now }: Pick<ReadCall, "player" | "game" | "now">): boolean =>
  !isToAll(mail) && (mail.kind !== "announcement" || !hidesOriginalsFrom(player, game, now));

/**
 * A page of the mails of the last 30 days before a position, the newest first; with the first page also the suppressed
 * addresses. A local service that stores messages instead of sending them shows them: elsewhere a game master who reads
 * a link could take over an account.
 */
export const listMails = async (call: ReadCall, limit: number, before: string | undefined) => {
  const { store, mail: settings } = call.services;
  const folder = settings?.outbox;
  const shown = (item: StoredItem): Mail | null => {
    const mail = mailAt(parseMail(item), call.now);
    return isShown(mail, call) ? mail : null;
  };
  const [{ items, next }, suppressed] = await Promise.all([
    readPage(mailEntries(store.db, expectedEntries(limit, true), before), limit, shown, MAX_LOOKED_THROUGH),
    before === undefined ? listSuppressed(store) : undefined,
  ]);
  const [names, messages] = await Promise.all([
    loadAliases(
      store,
      items.flatMap(({ player_id }) => player_id ?? []),
    ),
    folder === undefined ? [] : Promise.all(items.map(({ mail_id }) => readMessage(folder, mail_id))),
  ]);
  const mails = items.map((mail, index) => ({
    mail_id: mail.mail_id,
    kind: mail.kind,
    alias: (mail.player_id === null ? undefined : names.get(mail.player_id)) ?? null,
    state: mail.state,
    tries: mail.tries,
    reason: mail.reason ?? null,
    at: mail.at,
    done_at: mail.done_at ?? null,
    can_send_again: isRepeatable(mail),
    ...(folder === undefined ? {} : { message: messages[index] ?? null }),
  }));
  return { mails, ...(suppressed === undefined ? {} : { suppressed }), next };
};

const wrongState = (message: string): DomainError => new DomainError("wrong_state", message);

/** What to send: a mail again, or a test, which may show another kind of mail. */
interface Wanted {
  mail_id?: string | undefined;
  sample?: "invite" | undefined;
}

/** The writes of a test to the game master's own address. @throws DomainError `wrong_state` without an address */
const testWrites = (
  { now, player: { email, player_id }, services: { newId } }: PlayerCall,
  sample: Wanted["sample"],
): Write[] => {
  if (email === null) throw wrongState("Enter your e-mail address in your profile first.");
  const shown = sample === undefined ? {} : { sample };
  return [mailWrite(newId(), { kind: "test", player_id, ...shown }, now)];
};

/** The writes of another mail of a kind; none if its link is not needed, or too many were sent. */
const writesAgain = async (
  { services, now }: PlayerCall,
  player: Player,
  { kind, notification_id, sample }: Mail,
): Promise<Write[]> => {
  const { store, newId } = services;
  const { player_id } = player;
  if (kind === "confirm") return confirmationWrites(services, player, now);
  if (kind !== "invite") {
    const about = { ...(notification_id ? { notification_id } : {}), ...(sample ? { sample } : {}) };
    return [mailWrite(newId(), { kind, player_id, ...about }, now)];
  }
  const standings = await readStandings(store, [player], now);
  return invitationWrites(player, standings.get(player_id), { newId, now });
};

/** The writes of a mail in place of one that did not reach its recipient. @throws DomainError `not_found`, `wrong_state` */
const repeatWrites = async (call: PlayerCall, mailId: string): Promise<Write[]> => {
  const { audit, now, services } = call;
  const { store } = services;
  const read = await readMail(store.db, mailId);
  if (read === null || !isShown(read, call)) throw new DomainError("not_found", "There is no such mail.");
  const mail = mailAt(read, now);
  const { kind, player_id } = mail;
  audit.target = player_id;
  audit.details = { mail_id: mailId, kind };
  const player = player_id === null ? null : await store.player(player_id);
  if (player === null || player_id === null || !isRepeatable(mail))
    throw wrongState(
      "This mail cannot be sent again: it was sent, or only its recipient can ask for another one.",
    );
  const sent = await writesAgain(call, player, mail);
  if (sent.length === 0)
    throw wrongState("The link is not needed any more, or too many were sent. Wait a minute, or an hour.");
  return [mailChange(mail, { ...mail, again_at: rfc3339(now) }), ...sent];
};

/**
 * Sends a mail again that did not reach its recipient, or, without an id, a test to the game master's own address.
 * @throws DomainError `not_found`; `wrong_state` if the service sends no mail, or not this one
 */
export const sendMailAgain = async (
  call: PlayerCall,
  { mail_id, sample }: Wanted,
): Promise<Decision<undefined>> => {
  if (call.services.mail === null) throw wrongState("This service sends no mail.");
  const writes = mail_id === undefined ? testWrites(call, sample) : await repeatWrites(call, mail_id);
  return { changes: { writes }, result: undefined };
};

/**
 * Sends mails to a player's address again, which a server has refused.
 * @throws DomainError `player_not_found`; `not_found` if the address is not suppressed
 */
export const liftSuppression = async (call: PlayerCall, named: PlayerName): Promise<Decision<undefined>> => {
  const { target } = await findTarget(call, named);
  const { db } = call.services.store;
  const own = [target.email, target.pending_email].filter((one) => one != null);
  const found = await Promise.all(
    own.map(async (address) => {
      const suppressed = await readSuppressed(db, address);
      return suppressed === null ? [] : [liftWrite(address, suppressed)];
    }),
  );
  const writes = found.flat();
  if (writes.length === 0) throw new DomainError("not_found", "No address of this player is suppressed.");
  return { changes: { writes }, result: undefined };
};
