/** Which missions are required, and how many of them. */
import type { Game } from "../game/game.ts";
import { instantOf, laterOf, rfc3339 } from "../time.ts";
import { isCancelled, type Mission } from "./mission.ts";

/** What is required of players. */
export interface Requirement {
  /** The ids of the missions that count. */
  ids: string[];
  /** How many of them a player needs. */
  needed: number;
  /** When the last of them began, RFC 3339: it is not required of players who have joined or begun a life since. */
  since: string;
}

/**
 * What is required. A cancelled mission counts for nobody, and one less is needed.
 * @param wanted how many missions are required, before any was cancelled
 */
export const requirementOf = (
  missions: readonly Mission[],
  { settings }: Game,
  wanted: number,
  now: number,
): Requirement => {
  const { missions_counted_from: from } = settings;
  const required = missions.filter(
    ({ required, draft, starts_at }) => required && !draft && (from === null || starts_at >= from),
  );
  const counted = required.filter((one) => !isCancelled(one) && instantOf(one.starts_at) <= now);
  const cancelled = required.filter(isCancelled).length;
  return {
    ids: counted.map(({ mission_id }) => mission_id),
    needed: Math.max(0, wanted - cancelled),
    since: counted.reduce((last, { starts_at }) => laterOf(last, starts_at), rfc3339(0)),
  };
};
