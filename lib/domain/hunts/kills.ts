/** Kills: their number and the time of the latest. The latest few are stored, so that a void can restore that time. */
import type { Kill } from "../players/lifeRecords.ts";
import type { StoredPlayer } from "../players/player.ts";
import { laterOf } from "../time.ts";

/** The maximum number of stored kills. After as many voids in a row, the time of the latest kill is no longer known. */
export const MAX_REMEMBERED_KILLS = 8;

/** The kills of a player, or of a cover: those that others know of. */
type Kills = Pick<StoredPlayer, "kills" | "last_kill_at" | "latest_kills">;

/** The latest kills, newest first. All other kills are no later than the last of these. */
const latestOf = ({ latest_kills, last_kill_at }: Kills): readonly Kill[] =>
  // If the times differ, an earlier version of the service has added a kill without storing it.
  latest_kills[0]?.at === (last_kill_at ?? undefined) ? latest_kills : [];

/** Inserts a kill before those that were no later. */
const insertKill = (kill: Kill, kills: readonly Kill[]): Kill[] => [
  ...kills.filter(({ at }) => at > kill.at),
  kill,
  ...kills.filter(({ at }) => at <= kill.at),
];

/** Adds a kill to a player or a cover. */
export const withKill = <K extends Kills>(player: K, kill: Kill): K => {
  const stored = latestOf(player);
  // If the list is incomplete, a kill that is older than its last entry must not be appended.
  const bound = stored.length < player.kills ? (stored.at(-1)?.at ?? player.last_kill_at) : null;
  const belongsInList = bound === null || kill.at >= bound;
  return {
    ...player,
    kills: player.kills + 1,
    last_kill_at: laterOf(player.last_kill_at, kill.at),
    latest_kills: (belongsInList ? insertKill(kill, stored) : [...stored]).slice(0, MAX_REMEMBERED_KILLS),
  };
};

/** Removes the kill of a hunt. If there are other kills and none is stored, `last_kill_at` stays. */
export const withoutKill = <K extends Kills>(player: K, hunt: string): K => {
  const kills = Math.max(0, player.kills - 1);
  const remaining = latestOf(player).filter((kill) => kill.hunt !== hunt);
  return {
    ...player,
    kills,
    last_kill_at: kills === 0 ? null : (remaining[0]?.at ?? player.last_kill_at),
    latest_kills: remaining,
  };
};
