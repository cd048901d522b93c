/** The status of a checkpoint. */
import type { Game } from "./api.ts";

type Checkpoint = NonNullable<Game["checkpoint"]>;

/** Whether the checkpoint was enforced and not undone since. After an undo it can be enforced again. */
export const isEnforced = ({
  enforced_at,
  undone_at,
}: Pick<Checkpoint, "enforced_at" | "undone_at">): boolean => enforced_at !== null && undone_at === null;
