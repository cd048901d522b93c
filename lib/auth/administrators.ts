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
 * Those who are administrators, for one of them to change who is.
 * @param by who changes it; nobody's leave is asked where it is done beside the service
 * @throws DomainError `not_administrator` for somebody who is one no more, though let in as one
 */
const administratorsFor = async (store: Store, by: string | null): Promise<Administrators> => {
  const administrators = await store.administrators();
  if (by === null || administrators.ids.includes(by)) return administrators;
  throw notAdministrator();
};

/** The write by which one more player is an administrator. */
const grantAdministrator = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await administratorsFor(store, by);
  return administratorsWrite(administrators, [...administrators.ids, id]);
};

/** The write by which an administrator is one no more. @throws DomainError `last_administrator`, `not_administrator` */
export const revokeAdministrator = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await administratorsFor(store, by);
  const others = administrators.ids.filter((other) => other !== id);
  if (others.length === 0) {
    throw new DomainError(
      "last_administrator",
      "This is the last administrator. Make someone else one first.",
    );
  }
  return administratorsWrite(administrators, others);
};

/**
 * The player with the administrator's right, or without it, and what that takes.
 * @param by the administrator who changes it; `null` where nobody has logged in
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
