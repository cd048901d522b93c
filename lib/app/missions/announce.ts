/** Announces missions by notifications to the sides who know of them, which are judged when they are delivered. */
import type { Game } from "../../domain/game/game.ts";
import { dueMessages, type MissionMessage } from "../../domain/missions/messages.ts";
import { afterAnnouncing, type Mission, nextDue } from "../../domain/missions/mission.ts";
import { instantOf } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { Services } from "../../lambda/services.ts";
import { missionWrite } from "../../store/missions/missions.ts";
import { scheduledMessage } from "../notifications/scheduledMessage.ts";

/** The writes that send messages with the next sweep. In the inbox they stand at once. */
export const messageWrites = (
  messages: readonly MissionMessage[],
  { changed_by: player_id, mission_id }: Mission,
  { game, newId, now }: { game: Game; newId: Services["newId"]; now: number },
): Write[] =>
  messages.map(({ what, audience, title, content }) => {
    // What is for one side goes to no webhook, which anybody may read.
    const news = audience === "all" ? { what, mission_id } : undefined;
    const message = { title, content, audience, page: "missions" as const };
    return scheduledMessage(message, { id: newId(), by: player_id, game, now, at: now, news }).write;
  });

/**
 * Announces what is due of a mission.
 * @param now in milliseconds since 1970
 * @returns whether messages were written; `false` too if the mission has changed meanwhile, for the next sweep
 */
export const announceMission = async (
  { services: { store, newId }, timeLeft }: WorkerContext,
  before: Mission,
  now: number,
): Promise<boolean> => {
  const due = nextDue(before);
  // The index may be behind.
  if (due === null || due > now) return false;
  const game = await store.game();
  // Nothing begins after the end. What is due is announced if the season is reopened.
  if (game.finish !== null) return false;
  // A mission that was over before a sweep could announce it is news to nobody.
  const end = instantOf(before.ends_at);
  const isMissed = due < end && end <= now;
  const announced = isMissed ? [] : dueMessages(before, game, now);
  const messages = messageWrites(announced, before, { game, newId, now });
  try {
    await store.commit([missionWrite(before, afterAnnouncing(before, now)), ...messages], timeLeft);
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
  return messages.length > 0;
};
