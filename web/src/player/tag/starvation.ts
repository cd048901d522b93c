/** When a player starved, who may still report a tag from before. */
import { api } from "../../state/api.ts";
import { snapshot } from "../../state/session.ts";

const DEATHS = ["starve", "corpsify", "checkpoint_kill"];
const INFECTIONS = ["hunt", "revive_zombie"];
/** Each minute a sweep records who has starved. Until then the page does not know when that was. */
const UNRECORDED_MS = 75_000;

/** When the player starved at the earliest; `null` for one who is not dead, or is dead by other means. */
export const readStarvation = async (): Promise<number | null> => {
  const { player, game } = snapshot.peek() ?? {};
  if (player?.state !== "corpse") return null;
  const query = { player: "me", limit: 50 } as const;
  const { interactions } = await api.get("/interactions/{url_id}", { query });
  const last = interactions.find(
    ({ target_ref, kind, details }) =>
      target_ref === player.player_ref &&
      details.voided !== true &&
      (DEATHS.includes(kind) || INFECTIONS.includes(kind)),
  );
  if (last?.kind === "starve") return Date.parse(last.at);
  return last === undefined || DEATHS.includes(last.kind)
    ? null
    : Date.parse(game?.now ?? last.at) - UNRECORDED_MS;
};
