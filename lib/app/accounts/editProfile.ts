/** Changes to a player's profile. */
import type { Player } from "../../domain/player.ts";
import type { Store } from "../../store/store.ts";
import { requireFreeAlias } from "./newAccount.ts";

/** The fields to change; `null` clears a field. */
export interface ProfileEdit {
  alias?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  push_kinds?: string[] | null | undefined;
}

/**
 * The player after an edit.
 * @throws DomainError `alias_taken`
 */
export const editProfile = async (store: Store, player: Player, edit: ProfileEdit): Promise<Player> => {
  if (edit.alias !== undefined) await requireFreeAlias(store, edit.alias, player.player_id);
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  return { ...player, ...Object.fromEntries(given) };
};
