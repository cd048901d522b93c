/** Bans players and addresses from the game, lifts bans, and lists them (decision 92). */
import { credentialWrite } from "../../auth/credentials.ts";
import { endedPushWrites } from "../../auth/login.ts";
import { foldAlias, isSameAlias } from "../../domain/accounts/alias.ts";
import { MAX_FORMER } from "../../domain/accounts/renaming.ts";
import { mustWait } from "../../domain/accounts/review.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import {
  type Ban,
  banHash,
  bansWrite,
  confirmedAddresses,
  isBanActive,
  isRoomFor,
  readBans,
  shortHash,
} from "../../store/accounts/bans.ts";
import { formerIds } from "../../store/accounts/departures.ts";
import { emailHash } from "../../store/accounts/emails.ts";
import type { Decision } from "../../store/decide.ts";
import { keys } from "../../store/keys.ts";
import { confirmedOwner } from "../../store/mail/mailAccounts.ts";
import type { Store } from "../../store/store.ts";

/** All bans, newest first. */
export const listBans = async ({ db }: Store): Promise<readonly Ban[]> => (await readBans(db)).bans;

interface Named {
  alias?: string | undefined;
  email?: string | undefined;
  ban_id?: string | undefined;
}

/** Whether a ban is of this alias, or of this address. */
const isOf = (ban: Ban, { alias, email }: Pick<Named, "alias" | "email">): boolean => {
  if (email !== undefined) return ban.of_email && ban.email_hash === banHash(email);
  return alias !== undefined && ban.alias !== null && isSameAlias(ban.alias, alias);
};

/** The bans that a request refers to: those of the alias or, if there are none, those of players who had given it up. */
const namedBans = (bans: readonly Ban[], { alias, email, ban_id }: Named): Ban[] => {
  if (ban_id !== undefined) return bans.filter((ban) => ban.ban_id === ban_id);
  const found = bans.filter((ban) => isOf(ban, { alias, email }));
  if (found.length > 0 || alias === undefined) return found;
  return bans.filter(({ former_aliases }) => former_aliases.some((one) => isSameAlias(one, alias)));
};

/**
 * A ban of a player, or of an alias or address without an account. It also covers what the bans covered that it replaces,
 * because their account may have been deleted, or a game master may have changed it.
 */
const newBan = (
  fields: Pick<Ban, "ban_id" | "until" | "reason" | "created_at">,
  { alias, email }: Pick<Named, "alias" | "email">,
  target: Player | null,
  { replaced, former }: { replaced: readonly Ban[]; former: readonly string[] },
): Ban => {
  const [given, own] = [email, target?.email].map((one) => (one == null ? null : banHash(one)));
  const email_hash = given ?? own ?? replaced.find((one) => one.email_hash !== null)?.email_hash ?? null;
  const shown = target?.alias ?? alias ?? null;
  const ids = [...former, ...replaced.flatMap((one) => [one.player_id ?? [], one.former_ids].flat())];
  const aliases = [
    ...(alias === undefined ? [] : [alias]),
    ...(target?.former_aliases ?? []),
    ...replaced.flatMap((one) => [one.alias ?? [], one.former_aliases].flat()),
  ];
  const addresses = [
    ...(target?.former_addresses ?? []).map(shortHash),
    ...replaced.flatMap((one) => [one.email_hash ?? [], one.former_addresses].flat()),
  ];
  return {
    ...fields,
    alias: shown,
    former_aliases: [...new Map(aliases.map((one) => [foldAlias(one), one])).values()]
      .filter((one) => shown === null || !isSameAlias(one, shown))
      .slice(0, MAX_FORMER),
    email_hash,
    former_addresses: [...new Set(addresses)].filter((hash) => hash !== email_hash).slice(0, MAX_FORMER),
    confirmed_addresses: [
      ...new Set([
        ...(target?.email_confirmed === true && own != null ? [own] : []),
        ...replaced.flatMap(confirmedAddresses),
      ]),
    ].slice(0, MAX_FORMER),
    player_id: target?.player_id ?? null,
    former_ids: [...new Set(ids)].filter((id) => id !== target?.player_id).slice(0, MAX_FORMER),
    of_email: email !== undefined,
  };
};

/**
 * The writes that lock out a player: they mark the credential as banned, and remove sessions, push subscriptions and recovery
 * code.
 */
const lockOut = async (store: Store, { player_id: id, rev }: Player, ban: Ban): Promise<Write[]> => {
  const { credential } = await store.account(id);
  // Fails for somebody whose account is just becoming that of a player who has left.
  const unchanged: Write = { check: keys.player(id), expect: { rev } };
  if (credential === null) return [unchanged];
  const { ban_id, until, reason } = ban;
  return [
    unchanged,
    credentialWrite(id, { ...credential, ban: { ban_id, until, reason } }, credential.hash),
    { remove: keys.sessions(id) },
    { remove: keys.recovery(id) },
    ...(await endedPushWrites(store, id)),
  ];
};

/** The players whom a ban concerns, and the write that fails if that changes. */
interface Concerned {
  /** Whose account it locks. */
  target: Player | null;
  /** The ids of those who have left in this season. */
  former: string[];
  writes?: Write[];
}

/** The players of an address: where mail is sent, only those who have confirmed it. */
const playersOfAddress = async (
  { store, mail }: Pick<Services, "store" | "mail">,
  email: string,
): Promise<Concerned> => {
  if (mail === null) return { target: null, former: await formerIds(store.db, { email }) };
  const [owner, former] = await Promise.all([
    confirmedOwner(store.db, email),
    formerIds(store.db, { email }, true),
  ]);
  const target = owner === null ? null : await store.player(owner);
  // Whoever confirms the address at the same time is either the target, or finds the ban.
  const unconfirmed: Write = { check: keys.confirmedEmail(emailHash(email)), expect: "absent" };
  return { target, former, writes: owner === null ? [unconfirmed] : [] };
};

/**
 * The players whom a ban concerns: whose account it locks, and who have left in this season and had the alias or the address.
 * If one of these is back under another alias, and nobody else is, their account is locked.
 */
const bannedPlayers = async (
  services: Pick<Services, "store" | "mail">,
  { alias, email }: Pick<Named, "alias" | "email">,
): Promise<Concerned> => {
  const { store } = services;
  if (email !== undefined) return playersOfAddress(services, email);
  const owner = alias === undefined ? null : await store.playerIdByAlias(alias, { isFormerToo: true });
  const found = owner === null ? null : await store.player(owner);
  const names = found === null ? [] : [found.alias, ...found.former_aliases];
  // Also who has given it up in this season: until the next one nobody else may have it.
  const holder = alias !== undefined && names.some((one) => isSameAlias(one, alias)) ? found : null;
  // The alias of a player who is here says nothing about others who had it, unless that is not decided yet.
  if (holder !== null) {
    const claims = (holder.review ?? []).filter(
      (one) => one.kind === "returns" && mustWait([one], services.mail !== null),
    );
    return { target: holder, former: claims.map(({ of }) => of) };
  }
  const former = await formerIds(store.db, { alias });
  const back = [...(await store.players(former)).values()];
  // Whoever takes the alias at the same time is either the target, or finds the ban.
  const untaken: Write[] =
    alias === undefined
      ? []
      : [
          {
            check: keys.alias(foldAlias(alias)),
            expect: owner === null ? "absent" : { is: { player_id: owner } },
          },
        ];
  return { target: back.length === 1 ? (back[0] ?? null) : null, former, writes: untaken };
};

/**
 * Bans an alias with its account, if there is one, or an e-mail address, with the account that has confirmed it. An alias that a player has given up in this season is
 * theirs, so that player is banned. Replaces a ban of the same alias, account or address.
 * @throws DomainError `invalid_request` for an end in the past or if the list of bans is full; `wrong_state` for an administrator
 */
export const ban = async (
  { audit, context, now, services }: PlayerCall,
  { until: end, ...given }: Pick<Named, "alias" | "email"> & { until?: string | null | undefined },
): Promise<Decision<Ban>> => {
  const until = end == null ? null : rfc3339(instantOf(end));
  if (!isBanActive(until, now)) throw invalidRequest({ path: "until", message: "must be in the future" });
  const { store } = services;
  const [read, { target, former, writes: conditions = [] }] = await Promise.all([
    readBans(store.db),
    bannedPlayers(services, given),
  ]);
  audit.target = target?.player_id ?? null;
  if (target?.is_admin === true) {
    throw new DomainError(
      "wrong_state",
      "An administrator cannot be banned. Remove the administrator role first.",
    );
  }
  const named = { ...given, ...(target === null ? {} : { alias: target.alias }) };
  const active = read.bans.filter((one) => isBanActive(one.until, now));
  const isReplaced = (one: Ban): boolean =>
    isOf(one, named) || (target !== null && one.player_id === target.player_id);
  const made = newBan(
    { ban_id: context.newId(), until, reason: context.reason ?? null, created_at: rfc3339(now) },
    given,
    target,
    { replaced: active.filter(isReplaced), former },
  );
  audit.details = { ban_id: made.ban_id, until };
  const bans = [made, ...active.filter((one) => !isReplaced(one))];
  if (!isRoomFor(bans)) {
    throw invalidRequest({
      path: "",
      message:
        "The list of bans is full. Lift a ban first, or replace one that has a long reason by one with a short reason.",
    });
  }
  const writes = [
    bansWrite(read, bans),
    ...conditions,
    ...(target === null ? [] : await lockOut(store, target, made)),
  ];
  const aliases = new Map(target === null ? [] : [[target.player_id, target.alias] as const]);
  return { changes: { writes }, result: made, aliases };
};

/** The writes that let the player of a ban log in again. */
const readmit = async (store: Store, { player_id: id, ban_id }: Ban): Promise<Write[]> => {
  const credential = id === null ? null : (await store.account(id)).credential;
  if (id === null || credential === null || credential.ban?.ban_id !== ban_id) return [];
  return [credentialWrite(id, { ...credential, ban: undefined }, credential.hash)];
};

/** Lifts the bans that a request refers to. @throws DomainError `not_found` */
export const unban = async (
  { audit, services: { store } }: PlayerCall,
  named: Named,
): Promise<Decision<{ lifted: number }>> => {
  const read = await readBans(store.db);
  const lifted = namedBans(read.bans, named);
  if (lifted.length === 0) throw new DomainError("not_found", "There is no such ban.");
  audit.target = lifted[0]?.player_id ?? null;
  audit.details = { ban_ids: lifted.map(({ ban_id }) => ban_id) };
  const remaining = read.bans.filter((one) => !lifted.includes(one));
  const readmitted = await Promise.all(lifted.map((one) => readmit(store, one)));
  return {
    changes: { writes: [bansWrite(read, remaining), ...readmitted.flat()] },
    result: { lifted: lifted.length },
  };
};
