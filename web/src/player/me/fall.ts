/** How somebody's game ended, from their own events. */
import type { Interaction } from "../../state/api.ts";
import { latestFirst } from "../../ui/event.tsx";

const FALLS = ["starve", "corpsify", "checkpoint_kill"] as const;
type Fall = (typeof FALLS)[number];

/** The latest event that made the player a corpse; `undefined` if it is not among these. */
export const fallOf = (
  events: readonly Interaction[],
  player_ref: string,
): (Interaction & { kind: Fall }) | undefined =>
  latestFirst(events).find(
    (event): event is Interaction & { kind: Fall } =>
      event.target_ref === player_ref && FALLS.some((kind) => kind === event.kind),
  );
