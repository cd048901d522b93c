/** Who has to sign the waiver. */
import type { Game } from "../game/game.ts";
import type { StoredPlayer } from "../players/player.ts";

type WithWaiver = Pick<Game, "settings">;

/** Whether a signature of this version counts: of the present waiver, or of an earlier one whose signatures count for it. */
export const counts = ({ settings }: WithWaiver, version: string): boolean =>
  settings.waiver_versions.includes(version);

/** Whether a player's signature does not count. Game masters and moderators who do not play need not sign. */
export const mustSign = (
  { signed = "", state, is_admin, is_moderator }: StoredPlayer,
  game: WithWaiver,
): boolean =>
  game.settings.waiver_versions.length > 0 &&
  !counts(game, signed) &&
  !(state === "spectator" && (is_admin || is_moderator));
