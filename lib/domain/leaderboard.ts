/** The leaderboard's ranks. */

interface Standing {
  kills: number;
  last_kill_at: string | null;
}

const isTie = (one: Standing, other: Standing): boolean =>
  one.kills === other.kills && (one.kills === 0 || one.last_kill_at === other.last_kill_at);

/**
 * Adds ranks to players that are sorted best first. Players with the same kills and the same time of the latest kill share
 * a rank, and so do all players without kills (1, 1, 3).
 */
export const withRanks = <T extends Standing>(standings: readonly T[]): (T & { rank: number })[] => {
  const ranked: (T & { rank: number })[] = [];
  for (const [index, standing] of standings.entries()) {
    const above = ranked[index - 1];
    const rank = above !== undefined && isTie(above, standing) ? above.rank : index + 1;
    ranked.push({ ...standing, rank });
  }
  return ranked;
};
