/** The sets of administrators and moderators: granting and revoking roles. The last administrator cannot be removed. */
import { DomainError } from "../domain/domainError.ts";
import type { Player } from "../domain/players/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Administrators } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { notAdministrator } from "./authenticate.ts";

export type Roles = Pick<Player, "is_admin" | "is_moderator">;

export const NO_ROLES: Roles = { is_admin: false, is_moderator: false };

/**
 * Reads the sets in order to change them.
 * @param by the administrator who makes the change; `null` if none is needed: for an npm command, and for players who
 *   delete their own accounts
 * @throws DomainError `not_administrator` if `by` has lost the role since the request was authenticated
 */
const readForChange = async (store: Store, by: string | null): Promise<Administrators> => {
  const administrators = await store.administrators();
  if (by === null || administrators.ids.includes(by)) return administrators;
  throw notAdministrator();
};

const withMember = (ids: string[], id: string, isMember: boolean): string[] => {
  if (ids.includes(id) === isMember) return ids;
  return isMember ? [...ids, id] : ids.filter((other) => other !== id);
};

/**
 * Grants and revokes roles: returns the changed player and the writes that go with it.
 * @param by as in {@link readForChange}
 * @throws DomainError `last_administrator`, `not_administrator`
 */
export const setRoles = async (
  store: Store,
  player: Player,
  roles: Roles,
  by: string | null,
): Promise<{ player: Player; writes: Write[] }> => {
  const { player_id: id, is_admin, is_moderator } = player;
  if (is_admin === roles.is_admin && is_moderator === roles.is_moderator) return { player, writes: [] };
  const read = await readForChange(store, by);
  const ids = withMember(read.ids, id, roles.is_admin);
  if (is_admin && ids.length === 0) {
    throw new DomainError(
      "last_administrator",
      "This is the last administrator. Make another player an administrator first.",
    );
  }
  const moderators = withMember(read.moderators, id, roles.is_moderator);
  const put = { ...keys.administrators, ...read, rev: read.rev + 1, ids, moderators };
  const write: Write = { put, expect: read.rev === 0 ? "absent" : { rev: read.rev } };
  return {
    player: { ...player, is_admin: roles.is_admin, is_moderator: roles.is_moderator },
    writes: [write],
  };
};
