/** The leaderboards: the ranks, and what they are decided by. */
import { instantOf } from "./time.ts";

/** Players with the same kills and the same time of the latest kill tie, and so do all players without kills. */
export const killsTie = ({ kills, last_kill_at }: { kills: number; last_kill_at: string | null }): string =>
  kills === 0 ? "0" : `${kills} ${last_kill_at}`;

/** A place on a board; those who tie with the one above share its rank. */
export interface Place {
  tie: string;
  rank: number;
  place: number;
}

/** The place below another, or the first. Those who tie share a rank, and the next one is skipped (1, 1, 3). */
export const placeBelow = (above: Place | null, tie: string): Place => {
  const place = (above?.place ?? 0) + 1;
  return { tie, place, rank: above?.tie === tie ? above.rank : place };
};

/** Since when a human has survived in this life, in milliseconds since 1970: at the earliest since the game started. */
export const survivedSince = (
  { human_since, created_at }: { human_since: string | null; created_at: string },
  startsAt: number | null,
): number => Math.max(instantOf(human_since ?? created_at), startsAt ?? Number.NEGATIVE_INFINITY);

/** Adds ranks to players that are sorted by their kills, best first. */
export const withRanks = <T extends Parameters<typeof killsTie>[0]>(
  standings: readonly T[],
): (T & { rank: number })[] => {
  let above: Place | null = null;
  return standings.map((standing) => {
    const placed: Place = placeBelow(above, killsTie(standing));
    above = placed;
    return { ...standing, rank: placed.rank };
  });
};
