/** Kills: their number and the time of the latest. The latest few are stored, so that a hunt can be voided. */
import type { Kill } from "./lifeRecords.ts";
import type { StoredPlayer } from "./player.ts";
import { laterOf } from "./time.ts";

/** The number of stored kills. After as many voids in a row, the time of the latest kill is no longer known. */
export const MAX_REMEMBERED_KILLS = 8;

/** The kills of a player, or those that others know of. */
type Kills = Pick<StoredPlayer, "kills" | "last_kill_at" | "latest_kills">;

/** The latest kills, newest first. All other kills are no later than the last of these. */
const latestOf = ({ latest_kills, last_kill_at }: Kills): readonly Kill[] =>
  // If the times differ, an older version of the service has added a kill without storing it.
  latest_kills[0]?.at === (last_kill_at ?? undefined) ? latest_kills : [];

/** Inserts a kill before those that were no later. */
const insertKill = (kill: Kill, kills: readonly Kill[]): Kill[] => [
  ...kills.filter(({ at }) => at > kill.at),
  kill,
  ...kills.filter(({ at }) => at <= kill.at),
];

/** Adds a kill. */
export const withKill = <K extends Kills>(player: K, kill: Kill): K => {
  const known = latestOf(player);
  // If the list is incomplete, a kill that is older than its last entry must not be appended.
  const bound = known.length < player.kills ? (known.at(-1)?.at ?? player.last_kill_at) : null;
  const belongsInList = bound === null || kill.at >= bound;
  return {
    ...player,
    kills: player.kills + 1,
    last_kill_at: laterOf(player.last_kill_at, kill.at),
    latest_kills: (belongsInList ? insertKill(kill, known) : [...known]).slice(0, MAX_REMEMBERED_KILLS),
  };
};

/** Removes the kill of a hunt. If there are other kills and none is stored, `last_kill_at` stays. */
export const withoutKill = <K extends Kills>(player: K, hunt: string): K => {
  const kills = Math.max(0, player.kills - 1);
  const rest = latestOf(player).filter((kill) => kill.hunt !== hunt);
  return {
    ...player,
    kills,
    last_kill_at: kills === 0 ? null : (rest[0]?.at ?? player.last_kill_at),
    latest_kills: rest,
  };
};
