/**
 * Players who have deleted their accounts during play, stored until the season ends (decision 85). They are found by each
 * alias and e-mail address that they had in the season, and by aliases that look like theirs. Only keyed hashes of these
 * are stored. The hashes remain when the player has come back, for bans.
 */
import { createHmac, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { foldAlias } from "../../domain/accounts/alias.ts";
import { Departure } from "../../domain/accounts/departure.ts";
import { normalizeEmail } from "../../domain/accounts/emailAddress.ts";
import type { ReviewReason } from "../../domain/accounts/review.ts";
import { Tombstone } from "../../domain/accounts/tombstone.ts";
import { HELD, type Player, StoredPlayer } from "../../domain/players/player.ts";
import { text } from "../../domain/schemas.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { Key } from "../../dynamodb/key.ts";
import { parseIfFound } from "../items.ts";
import { keys } from "../keys.ts";
import { emailHash } from "./emails.ts";

/** The key of the hashes is made when the first player leaves, and removed with the season. */
const HashKey = z.object({ key: text });
const parseKey = (item: StoredItem): string => HashKey.parse(item).key;

const readKey = async (db: Database): Promise<string | null> =>
  parseIfFound(await db.get(keys.departedKey), parseKey);

const requireKey = async (db: Database): Promise<string> => {
  const stored = await readKey(db);
  if (stored !== null) return stored;
  const key = randomBytes(32).toString("base64url");
  try {
    await db.put({ ...keys.departedKey, key }, "absent");
    return key;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return requireKey(db);
  }
};

const hashWith = (key: string, kind: "alias" | "look" | "address" | "email", value: string): string =>
  createHmac("sha256", key).update(`${kind}\n${value}`).digest("base64url");

/** The names of a player: of the account, or those that it has given up in this season. */
interface Names {
  aliases: readonly string[];
  /** Hashes, see `emailHash`. */
  addresses: readonly string[];
}

/** An alias, an e-mail address, or both. */
export interface Named {
  alias?: string | undefined;
  email?: string | null | undefined;
}

const namesOf = ({ alias, email }: Named): Names => ({
  aliases: alias === undefined ? [] : [alias],
  addresses: email == null ? [] : [emailHash(email)],
});

/** The hashes of an alias: its own, and those of what it looks like. */
const aliasHashes = async (key: string, aliases: readonly string[]): Promise<string[]> => {
  if (aliases.length === 0) return [];
  // Imported on demand: the table of look-alikes is large.
  const { lookAlikeKeys } = await import("./aliasGuards.ts");
  return aliases.flatMap((alias) => [
    aliasHash(key, alias),
    ...lookAlikeKeys(alias).map((look) => hashWith(key, "look", look)),
  ]);
};

const addressHashes = (key: string, addresses: readonly string[]): string[] =>
  addresses.map((address) => hashWith(key, "address", address));

/** The writes by which a player who leaves is found by all names of the season. */
export const nameWrites = async (db: Database, player: Player): Promise<Write[]> => {
  const key = await requireKey(db);
  const { aliases, addresses } = namesOf(player);
  const hashes = [
    ...(await aliasHashes(key, [...aliases, ...player.former_aliases])),
    ...addressHashes(key, [...addresses, ...player.former_addresses]),
  ];
  const [confirmed] = player.email_confirmed === true ? addressHashes(key, addresses) : [];
  return [...new Set(hashes)].map(
    (hash): Write => ({
      put: {
        ...keys.departedName(hash, player.player_id),
        ...(hash === confirmed ? { confirmed: true } : {}),
      },
    }),
  );
};

const aliasHash = (key: string, alias: string): string => hashWith(key, "alias", foldAlias(alias));

/** The write that stores a departure. @param alias the player's last alias */
export const departureWrite = async (db: Database, departure: Departure, alias: string): Promise<Write> => ({
  put: {
    ...departure,
    alias_hash: aliasHash(await requireKey(db), alias),
    ...keys.departed(departure.player_id),
  },
});

/** Whether an alias is the last one of a player who has left. */
export const isLastAlias = async (db: Database, { alias_hash }: Departure, alias: string): Promise<boolean> =>
  alias_hash === aliasHash(await requireKey(db), alias);

/** Removes a departure whose player comes back, on condition that they have not come back already. */
export const returnWrite = ({ player_id, left_at }: Departure): Write => ({
  remove: keys.departed(player_id),
  expect: { is: { left_at } },
});

/** The departures with these ids that still exist; and tombstones, by the hashes that are their ids. */
export const readDepartures = async (
  db: Database,
  ids: readonly string[],
): Promise<{ departures: Map<string, Departure>; tombstones: Map<string, Tombstone> }> => {
  const items = await db.getMany(ids.flatMap((id): Key[] => [keys.departed(id), keys.tombstone(id)]));
  const idIn = ({ pk }: StoredItem): string => pk.slice(keys.departed("").pk.length);
  const isDeparture = ({ sk }: StoredItem): boolean => sk === keys.departed("").sk;
  return {
    departures: new Map(items.filter(isDeparture).map((item) => [idIn(item), Departure.parse(item)])),
    tombstones: new Map(
      items.filter((item) => !isDeparture(item)).map((item) => [idIn(item), Tombstone.parse(item)]),
    ),
  };
};

/** What game masters had not decided about a player who left. */
const reviewIn = ({ player }: Departure): ReviewReason[] =>
  StoredPlayer.shape.review.parse(player.review) ?? [];

/** At most so many players who have had one alias or address are looked at. */
const MAX_FOUND = 100;

/** A player who has left and had a name. */
interface Found {
  id: string;
  /** Whether it is an address that they had confirmed. */
  isConfirmed: boolean;
}

const findBy = async (db: Database, hash: string): Promise<Found[]> => {
  const { pk, sk } = keys.departedName(hash, "");
  const { items } = await db.query({ pk, consistent: true }, MAX_FOUND);
  return items.map((item) => ({
    id: item.sk.startsWith(sk) ? item.sk.slice(sk.length) : hash,
    isConfirmed: item.confirmed === true,
  }));
};

const findByAll = async (db: Database, hashes: readonly string[]): Promise<Found[]> =>
  (await Promise.all(hashes.map((hash) => findBy(db, hash)))).flat();

const idsOf = (found: readonly Found[]): string[] => [...new Set(found.map(({ id }) => id))];

/**
 * The ids of the players who have left in this season at least once, and had this very alias or address.
 * @param needsProof leaves out who had not confirmed the address
 */
export const formerIds = async (db: Database, named: Named, needsProof = false): Promise<string[]> => {
  const key = await readKey(db);
  if (key === null) return [];
  const { aliases, addresses } = namesOf(named);
  const [byAlias, byAddress] = await Promise.all([
    findByAll(
      db,
      aliases.map((alias) => aliasHash(key, alias)),
    ),
    findByAll(db, addressHashes(key, addresses)),
  ]);
  return idsOf([...byAlias, ...byAddress.filter(({ isConfirmed }) => isConfirmed || !needsProof)]);
};

/** Players who have left in this season at least once, and had a name or one that looks like it. */
export interface Former {
  /** By their ids, also of those who are back: by which name they were found. */
  ids: ReadonlyMap<string, ReviewReason["by"]>;
  /** The ids of those who had confirmed the address. */
  confirmed: ReadonlySet<string>;
  /** Those who are away, as reasons for a decision. */
  claims: ReviewReason[];
}

const NOBODY: Former = { ids: new Map(), confirmed: new Set(), claims: [] };

/** Whoever had claimed to be a player who left, and has left themselves before game masters decided. */
const isUndecided = (departure: Departure | undefined): boolean =>
  departure?.player.held === HELD.pending && reviewIn(departure).length > 0;

/**
 * Whom somebody may be who takes an alias or an address. Of those who are away, the one who had both comes first, then by
 * alias the one who left earliest, then by address; last those who waited for a decision when they left, with whom they
 * may have been.
 */
export const findFormer = async (db: Database, taker: Named): Promise<Former> => {
  const key = await readKey(db);
  if (key === null) return NOBODY;
  const { aliases, addresses } = namesOf(taker);
  const [byAlias, found] = await Promise.all([
    aliasHashes(key, aliases)
      .then((hashes) => findByAll(db, hashes))
      .then(idsOf),
    findByAll(db, addressHashes(key, addresses)),
  ]);
  const byAddress = idsOf(found);
  const confirmed = new Set(idsOf(found.filter(({ isConfirmed }) => isConfirmed)));
  // Earlier versions hashed the address itself.
  const legacy = taker.email == null ? [] : [hashWith(key, "email", normalizeEmail(taker.email))];
  const all = [...new Set([...byAlias, ...byAddress, ...legacy])];
  // Reads as much if nobody is found, so that the duration reveals less.
  const { departures, tombstones } = await readDepartures(db, all.length > 0 ? all : ["nobody"]);
  const leftAt = new Map([...tombstones, ...departures].map(([id, { left_at }]) => [id, left_at]));
  const wayOf = (id: string): ReviewReason["by"] => (byAlias.includes(id) ? "alias" : "address");
  const rankOf = (id: string): number => {
    if (isUndecided(departures.get(id))) return 3;
    if (wayOf(id) === "address") return 2;
    return byAddress.includes(id) ? 0 : 1;
  };
  const orderOf = (id: string): string => `${rankOf(id)} ${leftAt.get(id) ?? ""} ${id}`;
  const away = all
    .filter((id) => leftAt.has(id))
    .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  return {
    ids: new Map(all.map((id) => [id, wayOf(id)])),
    confirmed,
    claims: away.flatMap((id): ReviewReason[] => {
      const by = wayOf(id);
      const earlier = departures.get(id);
      const claimed = earlier === undefined ? [] : reviewIn(earlier);
      const certainty = by === "address" && confirmed.has(id) ? { confirmed: true as const } : {};
      return [
        { kind: "returns", by, of: id, ...certainty },
        ...claimed
          .filter(({ kind }) => kind === "returns")
          .map(({ kind, of }) => ({ kind, by, of, ...certainty })),
      ];
    }),
  };
};
