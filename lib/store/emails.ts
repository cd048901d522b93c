/** Guards of e-mail addresses, which make addresses unique while the setting `unique_email` is on. */
import { DomainError } from "../domain/domainError.ts";
import type { PlayerChange } from "../domain/outcome.ts";
import type { Player } from "../domain/player.ts";
import type { StoredItem, Write } from "../dynamodb/database.ts";
import { sha256 } from "../runtime/sha256.ts";
import { parseOwner } from "./items.ts";
import { keys } from "./keys.ts";
import type { Store } from "./store.ts";

/** The form in which e-mail addresses are compared: it ignores case. */
export const normalizeEmail = (email: string): string => email.trim().normalize("NFKC").toLowerCase();

export const emailHash = (email: string): string => sha256(normalizeEmail(email));

const hashOf = (player: Pick<Player, "email"> | null): string | null =>
  player?.email == null ? null : emailHash(player.email);

/** The guard of a player's address; `null` without one. */
export const emailGuard = (player: Pick<Player, "player_id" | "email">): StoredItem | null => {
  const hash = hashOf(player);
  return hash === null ? null : { ...keys.email(hash), player_id: player.player_id };
};

/** Whether the owner of a guard still has its address, which may have changed while the setting was switched on. */
const isInUse = async (store: Store, guard: StoredItem, hash: string): Promise<boolean> =>
  hashOf(await store.player(parseOwner(guard))) === hash;

/**
 * The writes that keep the guard in step with a changed address. The new address gets a guard only with `isUnique`.
 * @throws DomainError `email_taken`
 */
export const emailWrites = async (
  store: Store,
  { before, after }: PlayerChange,
  isUnique: boolean,
): Promise<Write[]> => {
  const [old, current] = [hashOf(before), isUnique ? hashOf(after) : null];
  if (hashOf(before) === hashOf(after) || (old === null && current === null)) return [];
  const read = [old, current].filter((hash) => hash !== null).map(keys.email);
  const guards = new Map((await store.db.getMany(read)).map((guard) => [guard.pk, guard]));
  const writes: Write[] = [];
  const oldGuard = old === null ? undefined : guards.get(keys.email(old).pk);
  if (before !== null && oldGuard !== undefined && parseOwner(oldGuard) === before.player_id) {
    writes.push({
      remove: { pk: oldGuard.pk, sk: oldGuard.sk },
      expect: { is: { player_id: before.player_id } },
    });
  }
  const guard = current === null || after === null ? null : emailGuard(after);
  if (guard === null || current === null) return writes;
  const found = guards.get(guard.pk);
  if (found === undefined) return [...writes, { put: guard, expect: "absent" }];
  if (await isInUse(store, found, current)) {
    throw new DomainError("email_taken", "There is an account with this e-mail address already.");
  }
  return [...writes, { put: guard, expect: { is: { player_id: parseOwner(found) } } }];
};
