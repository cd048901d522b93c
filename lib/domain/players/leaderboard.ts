/** The leaderboards: how players are ranked. */
import * as z from "zod/mini";
import { integer, text } from "../schemas.ts";
import { instantOf } from "../time.ts";

/** A key that is equal for players who tie: those with the same kills and latest kill, and all without kills. */
export const killsTie = ({ kills, last_kill_at }: { kills: number; last_kill_at: string | null }): string =>
  kills === 0 ? "0" : `${kills} ${last_kill_at}`;

/** Points as digits in the order of the board: the most first. The same text for players who tie. */
export const pointsOrder = (points: number): string => String(MAX_SAFE_POINTS - points).padStart(12, "0");

const MAX_SAFE_POINTS = 999_999_999_999;

/** A place on a board, counted from 1, and the rank, which players with the same `tie` key share. */
export interface Place {
  tie: string;
  rank: number;
  place: number;
}

/** The place below another, or the first one for `null`. After a tie, ranks are skipped (1, 1, 3). */
export const placeBelow = (above: Place | null, tie: string): Place => {
  const place = (above?.place ?? 0) + 1;
  return { tie, place, rank: above?.tie === tie ? above.rank : place };
};

/** Since when a human has survived in this life, but not before the game started; in milliseconds since 1970. */
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

/** The last player of a page of a board: where the next page begins, and the ranks that it goes on with. */
export const BoardPosition = z.object({ position: text, tie: text, rank: integer, place: integer });
export type BoardPosition = z.infer<typeof BoardPosition>;
