/** Who has to sign the waiver. */
import type { Game } from "../game/game.ts";
import type { StoredPlayer } from "../players/player.ts";

/**
 * Whether a player has not signed the present waiver, or an earlier one whose signatures count for it. Game masters and
 * moderators who do not play need not sign.
 */
export const mustSign = (
  { signed = "", state, is_admin, is_moderator }: StoredPlayer,
  { settings: { waiver_versions: versions } }: Pick<Game, "settings">,
): boolean =>
  versions.length > 0 && !versions.includes(signed) && !(state === "spectator" && (is_admin || is_moderator));
