/** What game masters have to decide about newcomers, and about players who take another alias or e-mail address. */
import { type ReviewReason, withReasons } from "../../domain/accounts/review.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import { bansCheck, matchingBans, readBans } from "../../store/accounts/bans.ts";
import type { Former } from "../../store/accounts/departures.ts";
import { addressOwner } from "../../store/accounts/emails.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

type Reviewing = Pick<Services, "store" | "mail">;

/** Somebody who takes an alias, an e-mail address or both; what they do not take is left out. */
export interface Taker {
  alias?: string | undefined;
  email?: string | null | undefined;
  /** Missing for a newcomer. */
  player_id?: string;
}

/** The id of the other account that has the address, if addresses are unique. Where mail is sent, that which has confirmed it. */
const otherOwner = async (
  { store: { db }, mail }: Reviewing,
  { settings }: Game,
  { email, player_id }: Taker,
): Promise<string | null> => {
  if (!settings.unique_email || email == null) return null;
  // Imported on demand: few deployments send mail.
  const find =
    mail === null ? addressOwner : (await import("../../store/mail/mailAccounts.ts")).confirmedOwner;
  const owner = await find(db, email);
  return owner === player_id ? null : owner;
};

/** Whether somebody has left in this season of whom a departure was stored. */
export const hasDepartures = async ({ db }: Store): Promise<boolean> =>
  (await db.get(keys.departedKey)) !== undefined;

/** Other players who have left in this season and had a name that somebody takes. */
const formerPlayers = async (store: Store, { player_id, ...names }: Taker): Promise<Former> => {
  if (!(await hasDepartures(store))) return { ids: new Map(), confirmed: new Set(), claims: [] };
  // Imported on demand: not needed before somebody has left.
  const { findFormer } = await import("../../store/accounts/departures.ts");
  const { claims, ...found } = await findFormer(store.db, names);
  return { ...found, claims: claims.filter(({ of }) => of !== player_id) };
};

const addressTaken = (): DomainError =>
  new DomainError("email_taken", "There is an account with this e-mail address already.");

/**
 * What game masters have to decide about somebody who takes an alias or an address. They have not proved that the address is
 * theirs, and anybody can choose an alias that was given up, so these are reasons for a decision only. The number of reads
 * is the same whatever is found, so their duration tells nothing.
 * @returns the reasons, and the condition that nobody was banned meanwhile
 * @param services.mail `null` if the service sends none: then nobody can confirm an address, and all addresses count
 * @throws DomainError `banned` for the alias of somebody banned, or one that looks like it
 */
export const reviewNewcomer = async (
  services: Reviewing,
  game: Game,
  who: Taker,
  now: number,
): Promise<{ review: ReviewReason[]; unbanned: Write }> => {
  const { store, mail } = services;
  // The owner is read before who has left, because who has the address may leave meanwhile.
  const [bans, [owner, former]] = await Promise.all([
    readBans(store.db),
    otherOwner(services, game, who).then(async (one) => [one, await formerPlayers(store, who)] as const),
  ]);
  const matches = await matchingBans(bans, { ...who, former: former.ids, confirmed: former.confirmed }, now);
  const certain = matches.find(({ isCertain }) => isCertain);
  if (certain !== undefined) {
    const { until } = certain.ban;
    const when = until === null ? "" : ` until ${until}`;
    throw new DomainError("banned", `This alias is banned from the game${when}, or looks like one that is.`);
  }
  const inUse: ReviewReason = {
    ...{ kind: "address_in_use", by: "address", of: owner ?? "" },
    ...(mail === null ? {} : { confirmed: true }),
  };
  // Bans first: there may be more departures than reasons are kept.
  const review = withReasons(undefined, [
    ...matches.map(({ ban, by, isConfirmed }): ReviewReason => {
      return { kind: "banned", by, of: ban.ban_id, ...(isConfirmed ? { confirmed: true } : {}) };
    }),
    ...(owner === null ? [] : [inUse]),
    ...former.claims,
  ]);
  return { review, unbanned: bansCheck(bans) };
};

/**
 * Refuses what a player would be reviewed for: a game master who creates an account is told at once.
 * @throws DomainError `banned`, `email_taken`
 */
export const requireNoReview = (review: readonly ReviewReason[]): void => {
  const kinds = review.map(({ kind }) => kind);
  if (kinds.includes("banned"))
    throw new DomainError("banned", "Somebody with this alias or e-mail address is banned from the game.");
  if (kinds.includes("address_in_use")) throw addressTaken();
};

/** Refuses an address of another account to a game master who gives it to a player. @throws DomainError `email_taken` */
export const requireFreeAddress = async (services: Reviewing, game: Game, who: Taker): Promise<void> => {
  if ((await otherOwner(services, game, who)) !== null) throw addressTaken();
};
