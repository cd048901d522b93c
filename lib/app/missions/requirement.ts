/** Reads which missions are required. */
import type { Game } from "../../domain/game/game.ts";
import { type Requirement, requirementOf } from "../../domain/missions/requirement.ts";
import { readMissions } from "../../store/missions/missions.ts";
import type { Store } from "../../store/store.ts";

/** What is required now. @param min how many missions, before any was cancelled */
export const readRequirement = async (
  { db }: Store,
  game: Game,
  min: number,
  now: number,
): Promise<Requirement> => requirementOf(await readMissions(db, { consistent: true }), game, min, now);
