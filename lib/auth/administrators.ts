/** The set of administrators: granting and revoking the role. The last administrator cannot be removed. */
import { DomainError } from "../domain/domainError.ts";
import type { Player } from "../domain/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Administrators } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { notAdministrator } from "./authenticate.ts";

const administratorsWrite = (read: Administrators, ids: string[]): Write => ({
  put: { ...keys.administrators, ...read, rev: read.rev + 1, ids },
  expect: read.rev === 0 ? "absent" : { rev: read.rev },
});

/**
 * Reads the set of administrators for a change of it.
 * @param by the administrator who makes the change; `null` for a command outside the service, which needs no role
 * @throws DomainError `not_administrator` when `by` lost the role since the request was authenticated
 */
const readForChange = async (store: Store, by: string | null): Promise<Administrators> => {
  const administrators = await store.administrators();
  if (by === null || administrators.ids.includes(by)) return administrators;
  throw notAdministrator();
};

/** The write that adds an administrator. */
const grantAdministrator = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await readForChange(store, by);
  return administratorsWrite(administrators, [...administrators.ids, id]);
};

/** The write that removes an administrator. @throws DomainError `last_administrator`, `not_administrator` */
export const revokeAdministrator = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await readForChange(store, by);
  const others = administrators.ids.filter((other) => other !== id);
  if (others.length === 0) {
    throw new DomainError(
      "last_administrator",
      "This is the last administrator. Make another player an administrator first.",
    );
  }
  return administratorsWrite(administrators, others);
};

/**
 * Grants or revokes the administrator role: returns the changed player and the writes that go with it.
 * @param by the administrator who makes the change; `null` for a command outside the service
 * @throws DomainError `last_administrator`, `not_administrator`
 */
export const setAdministratorRole = async (
  store: Store,
  player: Player,
  isAdmin: boolean,
  by: string | null,
): Promise<{ player: Player; writes: Write[] }> => {
  if (player.is_admin === isAdmin) return { player, writes: [] };
  const { player_id: id } = player;
  const write = isAdmin ? await grantAdministrator(store, id, by) : await revokeAdministrator(store, id, by);
  return { player: { ...player, is_admin: isAdmin }, writes: [write] };
};
