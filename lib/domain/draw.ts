/** The draw of original zombies. Whoever knows its seed and the volunteers can repeat it. */
import { createHash } from "node:crypto";

const lotOf = (seed: string, playerId: string): string =>
  createHash("sha256").update(`${seed} ${playerId}`).digest("hex");

/** Draws `n` players: those with the lowest SHA-256 of the seed, a space and the player id. */
export const drawLots = <P extends { player_id: string }>(
  players: readonly P[],
  n: number,
  seed: string,
): P[] =>
  players
    .map((player) => ({ player, lot: lotOf(seed, player.player_id) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, n)
    .map(({ player }) => player);
