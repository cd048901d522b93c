/** The sort key of the leaderboard: what it is made of, and what can be read from it. */

const MAX_KILLS = 9_999_999;

/**
 * Sort key of the leaderboard: most kills first, then the earliest last kill. It contains the hash of the picture, because
 * attributes cannot be added to the index of existing games.
 */
export const killsOrder = (
  kills: number,
  lastKillAt: string | null,
  id: string,
  pictureHash: string | null = null,
): string =>
  `${String(MAX_KILLS - kills).padStart(7, "0")}#${lastKillAt ?? ""}#${id}${pictureHash === null ? "" : `#${pictureHash}`}`;

/** The time of the last kill from a sort key of the leaderboard, so that the index need not contain it twice. */
export const lastKillOf = (order: string): string | null => order.split("#")[1] || null;

/** The hash of the picture from a sort key of the leaderboard. */
export const pictureHashOf = (order: string): string | null => order.split("#")[3] ?? null;
