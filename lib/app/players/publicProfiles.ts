/** Public profiles: of all players, and of one. */
import { roleOf, type State } from "../../domain/players/player.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { hiddenFrom } from "../../store/hunts/hiddenOriginals.ts";
import { parseRosterEntry } from "../../store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import { findPlayerByAliasOrRef } from "../currentState.ts";
import { profileOf, publicPlayer } from "../shown.ts";

/** A page of profiles, by alias. @param page.after the position at which it begins */
export const listProfiles = async (
  { game, now, player, services: { store } }: ReadCall,
  state: State | undefined,
  { limit, after }: { limit: number; after: string | undefined },
) => {
  const roster = store.rosterEntries(
    game,
    expectedEntries(limit, state !== undefined),
    after,
    hiddenFrom(store.db, player, game, now),
  );
  // Roles are read separately, because the roster index of existing games does not have them.
  const { ids, moderators } = await store.administrators({ consistent: false });
  const { items, next } = await readPage(
    roster,
    limit,
    (item) => {
      const entry = parseRosterEntry(item);
      const { player_id: id } = entry;
      const role = roleOf({ is_admin: ids.includes(id), is_moderator: moderators.includes(id) });
      const shown = publicPlayer(entry, role, game, now);
      return state === undefined || shown.state === state ? shown : null;
    },
    state === undefined ? undefined : MAX_LOOKED_THROUGH,
  );
  return { users: items, next };
};

/** The profile of one player. @throws DomainError `player_not_found` */
export const showProfile = async (
  { game, now, player: viewer, services: { store } }: ReadCall,
  named: { alias?: string | undefined; player_ref?: string | undefined },
) => {
  const player = await findPlayerByAliasOrRef(store, named);
  const current = await store.gameFor(game, player);
  return profileOf(shownPlayer(player, viewer, current, now), current, now);
};
