/** The moment in which the player changes sides, which this device shows once. */
import { effect, signal } from "@preact/signals";
import type { Player } from "./api.ts";
import { snapshot } from "./session.ts";

/** News that is older when the app is opened is none. */
const MAX_AGE_MS = 24 * 3_600_000;

/** What the player has become and has not been shown yet. */
export const turnedInto = signal<"zombie" | "human" | null>(null);

/** What this device has last shown of the player, also before it was closed. */
let before: Pick<Player, "player_id" | "state"> | null = null;

effect(() => {
  const { player, game } = snapshot.value ?? {};
  const was = before;
  before = player ?? null;
  const { state, infected_at } = player ?? {};
  if (was?.player_id === player?.player_id && was?.state === "zombie" && state === "human")
    turnedInto.value = "human";
  else if (was?.player_id === player?.player_id && was?.state === "human" && state === "zombie") {
    const age = Date.parse(game?.now ?? "") - Date.parse(infected_at ?? "");
    turnedInto.value = age < MAX_AGE_MS ? "zombie" : null;
  } else if (turnedInto.peek() !== state) turnedInto.value = null;
});
