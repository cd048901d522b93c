/** What a game master does to accounts. */
import { setAdministratorRole } from "../../auth/administrators.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Call } from "../../http/definition.ts";
import type { PlayerRef } from "../../http/fields.ts";
import type { PlayerReturnInfo } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { keys } from "../../store/keys.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import { editProfile } from "./editProfile.ts";

type AdminEdit = PlayerRef & {
  alias_to?: string | undefined;
  is_admin?: boolean | undefined;
  clear_picture?: boolean | undefined;
};

/**
 * Changes a player's alias, right or picture; the asker may name themselves.
 * @throws DomainError `player_not_found`, `alias_taken`, `last_administrator`
 */
export const editAsAdministrator = (
  call: Call<"administrator", AdminEdit, unknown, PlayerReturnInfo>,
): Promise<CommandResponse> => {
  const { body, audit: note, now, services } = call;
  const { player_id: actor } = call.player;
  const { alias_to, is_admin, clear_picture } = body;
  const { store } = services;
  const again = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ game: read }, before] = await Promise.all([again(), findPlayer(store, body)]);
    note.target = before.player_id;
    // Names are personal: the log says what kind of change it was.
    note.details = {
      alias_changed: alias_to !== undefined,
      right_changed: is_admin !== undefined && is_admin !== before.is_admin,
      picture_cleared: clear_picture === true,
    };
    const game = await store.gameFor(read, before);
    const named = await editProfile(store, before, { alias: alias_to });
    const { player, writes } = await setAdministratorRole(store, named, is_admin ?? named.is_admin, actor);
    const after = clear_picture === true ? { ...player, has_pfp: false } : player;
    // Only with a change of the player, so that it is no newer picture which is removed.
    const clears = clear_picture === true && before.has_pfp;
    const pictureless: Write[] = clears ? [{ remove: keys.picture(before.player_id) }] : [];
    return {
      changes: { players: [{ before, after }], seen: game.rev, writes: [...writes, ...pictureless] },
      response: await showPlayer(store, after, game, now),
    };
  });
};
