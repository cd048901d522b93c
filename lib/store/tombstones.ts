/**
 * Tombstones: the state of players who have deleted their accounts during play, stored until the season ends (decision 52).
 * They are found by alias or e-mail address, of which only keyed hashes are stored.
 */
import { createHmac, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { foldAlias } from "../domain/alias.ts";
import { Tombstone } from "../domain/departure.ts";
import type { Newcomer } from "../domain/player.ts";
import { text } from "../domain/schemas.ts";
import type { Database, Write } from "../dynamodb/database.ts";
import { normalizeEmail } from "./emails.ts";
import { keys } from "./keys.ts";

/** The key of the hashes is made when the first player leaves, and removed with the season. */
const HashKey = z.object({ key: text });

const readKey = async (db: Database): Promise<string | null> => {
  const item = await db.get(keys.tombstoneKey);
  return item === undefined ? null : HashKey.parse(item).key;
};

/** The hashes under which a player's tombstones are stored. */
const hashesOf = ({ alias, email }: Newcomer, key: string): string[] => {
  const hash = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");
  const byAlias = hash(`alias\n${foldAlias(alias)}`);
  return email == null ? [byAlias] : [byAlias, hash(`email\n${normalizeEmail(email)}`)];
};

/** The writes that store a tombstone under the alias and under the e-mail address. */
export const tombstoneWrites = async (
  db: Database,
  player: Newcomer,
  tombstone: Tombstone,
): Promise<Write[]> => {
  const storedKey = await readKey(db);
  const key = storedKey ?? randomBytes(32).toString("base64url");
  return [
    ...(storedKey === null ? [{ put: { ...keys.tombstoneKey, key }, expect: "absent" } satisfies Write] : []),
    ...hashesOf(player, key).map((hash): Write => ({ put: { ...tombstone, ...keys.tombstone(hash) } })),
  ];
};

/** The tombstones of somebody who registers, by alias and by e-mail address. */
export const findTombstones = async (db: Database, newcomer: Newcomer): Promise<Tombstone[]> => {
  const key = await readKey(db);
  if (key === null) return [];
  const items = await db.getMany(hashesOf(newcomer, key).map(keys.tombstone));
  return items.map((item) => Tombstone.parse(item));
};
