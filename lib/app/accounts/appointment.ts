/** Tells a player that they have become a moderator or a game master: by a push, and in the inbox. */
import type { CommandContext } from "../../domain/outcome.ts";
import { type Player, roleOf } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { announcementWrite } from "../../store/notifications/announcements.ts";

/**
 * The player after a change of roles, and the write that announces a new one.
 * @param actor the player id of the game master who gave it; `null` for an npm command
 */
export const appointed = (
  before: Player,
  after: Player,
  actor: string | null,
  context: CommandContext,
): { player: Player; writes: Write[] } => {
  const role = roleOf(after);
  if (role === "player" || role === roleOf(before)) return { player: after, writes: [] };
  const at = rfc3339(context.now);
  const target = after.player_id;
  return {
    player: { ...after, appointed_at: at },
    writes: [announcementWrite(context.newId(), { cause: "give_role", at, actor, target })],
  };
};
