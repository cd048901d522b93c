/** Reads which missions are required. */
import type { Game } from "../../domain/game/game.ts";
import { enforceMissions } from "../../domain/missions/required.ts";
import { type Requirement, requirementOf } from "../../domain/missions/requirement.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import { attendancesOfPlayer, attendedCounts } from "../../store/missions/attendance.ts";
import { readMissions } from "../../store/missions/missions.ts";
import type { Store } from "../../store/store.ts";

/** What is required now. @param min how many missions, before any was cancelled */
export const readRequirement = async (
  { db }: Store,
  game: Game,
  min: number,
  now: number,
): Promise<Requirement> => requirementOf(await readMissions(db, { consistent: true }), game, min, now);

/**
 * Reads who attended too few required missions: those to whom enforcing them now would do something.
 * @param min how many missions, before any was cancelled
 * @param of the id of the only player of whom it is asked, if there is one
 */
export const readShortOfMissions = async (
  store: Store,
  game: Game,
  min: number,
  context: CommandContext,
  of?: string,
): Promise<(player: Player) => boolean> => {
  const { ids, needed, since } = await readRequirement(store, game, min, context.now);
  const attended =
    of === undefined
      ? await attendedCounts(store.db, ids)
      : new Map([[of, (await attendancesOfPlayer(store.db, ids, of)).length]]);
  const { checkpoint_outcome: outcome } = game.settings;
  const enforcement = { checkpoint_id: "", outcome, began_at: since, actor: "", needed, exempt: [] };
  return (player) => typeof enforceMissions(player, game, enforcement, attended, context) !== "string";
};
