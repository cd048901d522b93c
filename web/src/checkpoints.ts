/** What a checkpoint means at the moment. */
import type { Game } from "./api.ts";

type Checkpoint = NonNullable<Game["checkpoint"]>;

/** Whether it is enforced, and that stands: one that was undone can be enforced again. */
export const isEnforced = ({
  enforced_at,
  undone_at,
}: Pick<Checkpoint, "enforced_at" | "undone_at">): boolean => enforced_at !== null && undone_at === null;
