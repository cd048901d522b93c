/** Edits a player's account on behalf of a game master. */
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
 * Changes a player's alias, administrator role or picture. Game masters may edit themselves.
 * @throws DomainError `player_not_found`, `alias_taken`, `last_administrator`
 */
export const editAsAdministrator = (
  call: Call<"administrator", AdminEdit, unknown, PlayerReturnInfo>,
): Promise<CommandResponse> => {
  const { audit, body, now, services } = call;
  const { player_id: actor } = call.player;
  const { alias_to, is_admin, clear_picture } = body;
  const { store } = services;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ game: loaded }, before] = await Promise.all([reload(), findPlayer(store, body)]);
    audit.target = before.player_id;
    // Aliases are personal data, so the log contains only the kinds of change.
    audit.details = {
      alias_changed: alias_to !== undefined,
      right_changed: is_admin !== undefined && is_admin !== before.is_admin,
      picture_cleared: clear_picture === true,
    };
    const game = await store.gameFor(loaded, before);
    const renamed = await editProfile(store, before, { alias: alias_to });
    const { player, writes } = await setAdministratorRole(
      store,
      renamed,
      is_admin ?? renamed.is_admin,
      actor,
    );
    const after = clear_picture === true ? { ...player, has_pfp: false } : player;
    // The picture is removed together with a change of the player, which fails if a newer picture was set.
    const hasPictureToClear = clear_picture === true && before.has_pfp;
    const pictureRemoval: Write[] = hasPictureToClear ? [{ remove: keys.picture(before.player_id) }] : [];
    return {
      changes: { players: [{ before, after }], seen: game, writes: [...writes, ...pictureRemoval] },
      response: await showPlayer(store, after, game, now),
    };
  });
};
