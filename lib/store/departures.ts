/**
 * Players who have deleted their accounts during play, stored until the season ends (decision 85). They are found by each
 * alias and e-mail address that they had in the season, of which only keyed hashes are stored.
 */
import { createHmac, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { foldAlias } from "../domain/alias.ts";
import { Departure } from "../domain/departure.ts";
import type { Newcomer, Player } from "../domain/player.ts";
import type { ReviewReason } from "../domain/review.ts";
import { text } from "../domain/schemas.ts";
import { Tombstone } from "../domain/tombstone.ts";
import type { Database, StoredItem, Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { emailHash, normalizeEmail } from "./emails.ts";
import { parseIfFound } from "./items.ts";
import { keys } from "./keys.ts";

/** The key of the hashes is made when the first player leaves, and removed with the season. */
const HashKey = z.object({ key: text });
const parseKey = (item: StoredItem): string => HashKey.parse(item).key;

const readKey = async (db: Database): Promise<string | null> =>
  parseIfFound(await db.get(keys.departedKey), parseKey);

/** Whether somebody has left in this season. */
export const hasDepartures = async (db: Database): Promise<boolean> => (await readKey(db)) !== null;

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

const hashWith = (key: string, kind: "alias" | "address" | "email", value: string): string =>
  createHmac("sha256", key).update(`${kind}\n${value}`).digest("base64url");

/** The names of a player: of the account, or those that it has given up in this season. */
interface Names {
  aliases: readonly string[];
  /** Hashes, see `emailHash`. */
  addresses: readonly string[];
}

export const currentNames = ({ alias, email }: Pick<Newcomer, "alias" | "email">): Names => ({
  aliases: [alias],
  addresses: email == null ? [] : [emailHash(email)],
});

export const formerNames = ({ former_aliases, former_addresses }: Player): Names => ({
  aliases: former_aliases,
  addresses: former_addresses,
});

/** The writes by which a player who leaves is found by these names. They have no effect until the departure is stored. */
export const nameWrites = async (
  db: Database,
  id: string,
  { aliases, addresses }: Names,
): Promise<Write[]> => {
  const key = await requireKey(db);
  const hashes = [
    ...aliases.map((alias) => aliasHash(key, alias)),
    ...addresses.map((address) => hashWith(key, "address", address)),
  ];
  return hashes.map((hash): Write => ({ put: { ...keys.departedName(hash, id) } }));
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

/** At most so many players who have had one alias or address are looked at. */
const MAX_FOUND = 100;

/** The ids of the players who have left and had a name. */
const idsBy = async (db: Database, hash: string): Promise<string[]> => {
  const { pk, sk } = keys.departedName(hash, "");
  const { items } = await db.query({ pk, consistent: true }, MAX_FOUND);
  return items.map((item) => (item.sk.startsWith(sk) ? item.sk.slice(sk.length) : hash));
};

/**
 * Whom somebody may be who registers: players who have left in this season and had the alias or the address. First the
 * one who had both, then by alias the one who left earliest, then by address.
 */
export const findDeparted = async (
  db: Database,
  newcomer: Pick<Newcomer, "alias" | "email">,
): Promise<ReviewReason[]> => {
  const key = await readKey(db);
  if (key === null) return [];
  const { aliases, addresses } = currentNames(newcomer);
  const aliasHashes = aliases.map((alias) => aliasHash(key, alias));
  const addressHashes = addresses.map((address) => hashWith(key, "address", address));
  const [byAlias, byAddress] = await Promise.all(
    [aliasHashes, addressHashes].map(async (hashes) =>
      (await Promise.all(hashes.map((hash) => idsBy(db, hash)))).flat(),
    ),
  );
  // Earlier versions hashed the address itself.
  const legacy = newcomer.email == null ? [] : [hashWith(key, "email", normalizeEmail(newcomer.email))];
  const all = [...new Set([...(byAlias ?? []), ...(byAddress ?? []), ...legacy])];
  // Reads as much if nobody is found, so that the duration reveals less.
  const { departures, tombstones } = await readDepartures(db, all.length > 0 ? all : ["nobody"]);
  const leftAt = new Map([...tombstones, ...departures].map(([id, { left_at }]) => [id, left_at]));
  const rankOf = (id: string): number => {
    if (byAlias?.includes(id) !== true) return 2;
    return byAddress?.includes(id) === true ? 0 : 1;
  };
  const orderOf = (id: string): string => `${rankOf(id)} ${leftAt.get(id) ?? ""} ${id}`;
  return all
    .filter((id) => leftAt.has(id))
    .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map((id) => ({ kind: "returns", by: rankOf(id) === 2 ? "address" : "alias", of: id }));
};
