/** What a tag that is reported after its hunter starved reads and writes besides other tags (decision 97). */
import type { Game } from "../../domain/game/game.ts";
import { type Interaction, killTime } from "../../domain/hunts/interaction.ts";
import type { HuntOutcome, TagTimes } from "../../domain/hunts/tag.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { markUndoneBy } from "../../store/hunts/voids.ts";
import { lateTagAlertWrite } from "../../store/notifications/alerts.ts";
import type { Store } from "../../store/store.ts";

/** Returns a function that reads what has happened to a player around a tag, once. */
export const eventsOf = (
  store: Store,
  game: Game,
  playerId: string,
  times: TagTimes,
): (() => Promise<readonly Interaction[]>) => {
  let events: Promise<readonly Interaction[]> | undefined;
  return () => {
    events ??= store.lifeEvents(game, playerId, times);
    return events;
  };
};

/** The writes that mark a recorded starvation, if it has not happened after all. */
export const outlivedWrites = async (
  store: Store,
  game: Game,
  { interactions, revival }: Pick<HuntOutcome, "interactions" | "revival">,
): Promise<Write[]> => {
  if (revival === null) return [];
  const { starvation, interaction } = revival;
  if (interactions.some(({ interaction_id }) => interaction_id === starvation.interaction_id)) return [];
  const item = await store.interactionItem(game, starvation.interaction_id);
  if (item === undefined) throw new ConditionFailed("the starvation is gone");
  return [markUndoneBy(item, interaction)];
};

/**
 * The writes of a tag that has undone a starvation: they mark a starvation that was recorded, and alert game masters if the
 * hunter lives.
 */
export const revivalWrites = async (
  store: Store,
  game: Game,
  { interaction: hunt, interactions, hunter, revival }: HuntOutcome,
  now: number,
): Promise<Write[]> => {
  if (revival === null) return [];
  const { starvation } = revival;
  const alert =
    hunter.state === "zombie"
      ? [lateTagAlertWrite(hunt, { happenedAt: killTime(hunt), starvedAt: starvation.at }, now)]
      : [];
  return [...(await outlivedWrites(store, game, { interactions, revival })), ...alert];
};
