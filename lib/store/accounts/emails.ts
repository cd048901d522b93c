/** Guards of e-mail addresses, which make addresses unique while the setting `unique_email` is on. */
import { normalizeEmail } from "../../domain/accounts/emailAddress.ts";
import type { ReviewReason } from "../../domain/accounts/review.ts";
import type { PlayerChange } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { parseIfFound, parseOwner } from "../items.ts";
import { keys } from "../keys.ts";
import type { Store } from "../store.ts";

export const emailHash = (email: string): string => sha256(normalizeEmail(email));

/** Whether two addresses count as the same; `null` for none. */
export const isSameEmail = (one: string | null, other: string | null): boolean =>
  one === other || (one !== null && other !== null && emailHash(one) === emailHash(other));

const hashOf = (player: Pick<Player, "email"> | null): string | null =>
  player?.email == null ? null : emailHash(player.email);

/** The guard of a player's address; `null` without one. */
export const emailGuard = (player: Pick<Player, "player_id" | "email">): StoredItem | null => {
  const hash = hashOf(player);
  return hash === null ? null : { ...keys.email(hash), player_id: player.player_id };
};

/** The id of the player who has an address while addresses are unique; `null` if nobody has it. */
export const addressOwner = async (db: Database, email: string): Promise<string | null> =>
  parseIfFound(await db.get(keys.email(emailHash(email))), parseOwner);

/**
 * The writes that keep the guards in step with a changed address. The new address gets a guard only with `isUnique`, and
 * only if no other account has it: then the other account keeps the guard.
 * @param review what game masters have to decide about the change. If it does not name the other account, which may have
 *   taken the address only now, or names one that has given it up, the writes fail, so that the command decides again.
 *   Without it, nothing is required.
 */
export const emailWrites = async (
  { db }: Store,
  { before, after }: PlayerChange,
  isUnique: boolean,
  review?: readonly ReviewReason[],
): Promise<Write[]> => {
  const [old, current] = [hashOf(before), isUnique ? hashOf(after) : null];
  if (old === hashOf(after) || (old === null && current === null)) return [];
  const read = [old, current].filter((hash) => hash !== null).map(keys.email);
  const owners = new Map((await db.getMany(read)).map((guard) => [guard.pk, parseOwner(guard)]));
  const writes: Write[] = [];
  if (before !== null && old !== null && owners.get(keys.email(old).pk) === before.player_id) {
    writes.push({ remove: keys.email(old), expect: { is: { player_id: before.player_id } } });
  }
  if (current === null || after === null) return writes;
  const key = keys.email(current);
  const owner = owners.get(key.pk);
  const named = review === undefined ? owner : review.find(({ kind }) => kind === "address_in_use")?.of;
  const { player_id } = after;
  if (owner === player_id || (owner && owner === named)) return writes;
  return [
    ...writes,
    named === undefined
      ? { put: { ...key, player_id }, expect: "absent" }
      : { check: key, expect: { is: { player_id: named } } },
  ];
};
