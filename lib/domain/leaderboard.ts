/** The leaderboard's ranks. */

interface Standing {
  kills: number;
  last_kill_at: string | null;
}

const alike = (one: Standing, other: Standing): boolean =>
  one.kills === other.kills && (one.kills === 0 || one.last_kill_at === other.last_kill_at);

/**
 * Ranks players who stand in order, best first: those with as many kills reached at the same time share a
 * rank, and so do all with none (1, 1, 3).
 */
export const withRanks = <T extends Standing>(standings: readonly T[]): (T & { rank: number })[] => {
  const ranked: (T & { rank: number })[] = [];
  for (const [index, standing] of standings.entries()) {
    const above = ranked[index - 1];
    const rank = above !== undefined && alike(above, standing) ? above.rank : index + 1;
    ranked.push({ ...standing, rank });
  }
  return ranked;
};
