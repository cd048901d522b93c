/** Kills: how many a player has, and when the latest was. The latest few are remembered, so that one can be taken back. */
import type { Kill, Player } from "./player.ts";
import { laterOf } from "./time.ts";

/** So many kills are remembered: as many may be taken back, one after the other, before the time of the last is lost. */
export const MAX_REMEMBERED_KILLS = 8;

/** The latest kills, newest first; every other kill is no later than the last of these. */
const latestOf = ({ latest_kills, last_kill_at }: Player): readonly Kill[] =>
  // Somebody who does not write kills down has added one since.
  latest_kills[0]?.at === (last_kill_at ?? undefined) ? latest_kills : [];

/** The kills with one more in its place: before those that were no later. */
const inserted = (kill: Kill, kills: readonly Kill[]): Kill[] => [
  ...kills.filter(({ at }) => at > kill.at),
  kill,
  ...kills.filter(({ at }) => at <= kill.at),
];

/** The player with one kill more. */
export const withKill = (player: Player, kill: Kill): Player => {
  const known = latestOf(player);
  // Where kills are missing from the list, an older one than its last may not be the next.
  const bound = known.length < player.kills ? (known.at(-1)?.at ?? player.last_kill_at) : null;
  const isNext = bound === null || kill.at >= bound;
  return {
    ...player,
    kills: player.kills + 1,
    last_kill_at: laterOf(player.last_kill_at, kill.at),
    latest_kills: (isNext ? inserted(kill, known) : [...known]).slice(0, MAX_REMEMBERED_KILLS),
  };
};

/** The player with one kill less. When no kill is remembered, the time of the last stays: none was later. */
export const withoutKill = (player: Player, hunt: string): Player => {
  const kills = Math.max(0, player.kills - 1);
  const rest = latestOf(player).filter((kill) => kill.hunt !== hunt);
  return {
    ...player,
    kills,
    last_kill_at: kills === 0 ? null : (rest[0]?.at ?? player.last_kill_at),
    latest_kills: rest,
  };
};
