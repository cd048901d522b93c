/** The endpoints that moderators may call. */
import type { CommandPath, ReadPath } from "../schemas.ts";

/** All other endpoints below `/admin` are for game masters only. */
export const MODERATOR_PATHS: ReadonlySet<ReadPath | CommandPath> = new Set([
  "/admin/get_players/{url_id}",
  "/admin/find/{url_id}",
  "/admin/player_at_checkpoint/{url_id}",
  "/admin/feed_player/{url_id}",
  "/admin/disputes/{url_id}",
  "/admin/comment_dispute/{url_id}",
]);
