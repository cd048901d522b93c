/** Reads on which side players were at the start of a mission. */
import type { Game } from "../../domain/game/game.ts";
import type { Mission } from "../../domain/missions/mission.ts";
import { isExplained, type Sides, sidesAt, sidesInLife } from "../../domain/missions/sides.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import type { StatisticsEvent } from "../../domain/players/statistics.ts";
import { instantOf } from "../../domain/time.ts";
import type { PlayerRule } from "../../jobs/bulk.ts";
import { readStatisticsEvents } from "../../store/statistics.ts";
import type { Store } from "../../store/store.ts";

/** What reading the sides takes. */
export interface Working {
  store: Store;
  game: Game;
  context: Pick<CommandContext, "now">;
  timeLeft: () => number;
}

/**
 * Tells the sides of players at an instant that is past. `prepare` is to be called with players after they were read: it reads
 * events again if a newer one is missing.
 * @param startsAt in milliseconds since 1970
 */
export const openSides = ({ store, game, context: { now }, timeLeft }: Working, startsAt: number) => {
  let byTarget = new Map<string, StatisticsEvent[]>();
  const eventsOf = ({ player_id }: Player): StatisticsEvent[] => byTarget.get(player_id) ?? [];
  return {
    async prepare(players: readonly Player[], current: Game): Promise<void> {
      const isMissing = (one: Player): boolean =>
        sidesInLife(one, startsAt, current, now) === null && !isExplained(one, eventsOf(one));
      if (!players.some(isMissing)) return;
      const events = await readStatisticsEvents(store, game, now, timeLeft);
      byTarget = Map.groupBy(events, ({ target }) => target);
    },
    sidesOf: (player: Player, current: Game): Sides =>
      sidesAt(player, eventsOf(player), startsAt, current, now),
  };
};

/** The same for the closing of a mission: at its start, or now if it is closed before that. */
export const sidesAtClosing = (work: Working, { starts_at }: Mission) =>
  openSides(work, Math.min(instantOf(starts_at), work.context.now));

/** The same for its rewards, which need no events to be read if they are for all. */
export const sidesForRewards = (
  work: Working,
  mission: Mission,
): { sidesOf: (player: Player, game: Game) => Sides; prepare: NonNullable<PlayerRule["prepare"]> } => {
  const { prepare, sidesOf } = sidesAtClosing(work, mission);
  const isBySide = mission.rewards.some(({ audience }) => audience !== "all");
  return { sidesOf, prepare: isBySide ? prepare : async () => {} };
};
