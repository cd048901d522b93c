/** The moment in which the player becomes a zombie, which this device shows once. */
import { effect, signal } from "@preact/signals";
import type { Player } from "./api.ts";
import { snapshot } from "./session.ts";

/** News that is older when the app is opened is none. */
const MAX_AGE_MS = 24 * 3_600_000;

/** Whether the player has become a zombie and has not been shown it yet. */
export const hasTurned = signal(false);

/** What this device has last shown of the player, also before it was closed. */
let before: Pick<Player, "player_id" | "state"> | null = null;

effect(() => {
  const { player, game } = snapshot.value ?? {};
  const was = before;
  before = player ?? null;
  if (player?.state !== "zombie" || player.infected_at === null || game === undefined)
    hasTurned.value = false;
  else if (was?.state === "human" && was.player_id === player.player_id)
    hasTurned.value = Date.parse(game.now) - Date.parse(player.infected_at) < MAX_AGE_MS;
});
