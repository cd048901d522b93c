/** The status of a checkpoint, and to whom it applies. */
import { counterOf, STATES } from "../../../lib/domain/players/states.ts";
import type { Game, Player } from "./api.ts";

type Checkpoint = NonNullable<Game["checkpoint"]>;

/** Whether the checkpoint was enforced and not undone since. After an undo it can be enforced again. */
export const isEnforced = ({
  enforced_at,
  undone_at,
}: Pick<Checkpoint, "enforced_at" | "undone_at">): boolean => enforced_at !== null && undone_at === null;

/** Whether the checkpoint applies to a player. A hidden original zombie counts as what others see. */
export const isConcerned = (
  { applies_to }: Pick<Checkpoint, "applies_to">,
  { state, shown_as = state }: Pick<Player, "state" | "shown_as">,
): boolean => STATES[shown_as].alive && (applies_to === "all" || applies_to === counterOf(shown_as));

/** Whether a player still has to pass the checkpoint, even if it has closed. */
export const isDue = (
  checkpoint: Checkpoint,
  player: Pick<Player, "state" | "shown_as" | "passed_at">,
): boolean => player.passed_at === null && !isEnforced(checkpoint) && isConcerned(checkpoint, player);
