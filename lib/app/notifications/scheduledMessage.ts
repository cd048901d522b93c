/** Messages of the game itself that a sweep sends: of missions, and of the end of the season. */
import type { Game } from "../../domain/game/game.ts";
import type { News } from "../../domain/notifications/news.ts";
import type { Notification } from "../../domain/notifications/push.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { randomShard } from "../../store/lists.ts";
import { scheduledWrite } from "../../store/notifications/notifications.ts";

/** A message without what its sending adds. */
export type ScheduledMessage = Pick<Notification, "title" | "content" | "audience" | "page">;

/** How a message is sent. */
interface Sending {
  /** With the time `at`, by which messages are listed. */
  id: string;
  /** The game master who has caused it, by player id. */
  by: string;
  game: Game;
  now: number;
  /** An instant, now or later. */
  at: number;
  /** What webhooks are told with it, if anything. */
  news?: News | undefined;
}

/**
 * The write of a message that the first sweep from `at` on sends. In the inbox it stands at that time.
 */
export const scheduledMessage = (
  message: ScheduledMessage,
  { id, by, game, now, at, news }: Sending,
): { write: Write; shard: number } => {
  const shard = randomShard(game);
  const notification = {
    ...{ notification_id: id, player_id: by, ...message, player_group: "All" as const },
    ...{ created_at: rfc3339(now), send_at: rfc3339(at) },
  };
  return { write: scheduledWrite(notification, shard, at, news), shard };
};
