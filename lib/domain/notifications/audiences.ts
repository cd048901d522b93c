/** The groups of players that a notification can be for. */
import * as z from "zod/mini";

export const AUDIENCES = ["all", "humans", "zombies", "corpses", "moderators"] as const;

/** An audience as players see it. They do not see labels. */
export const ShownAudience = z.enum([...AUDIENCES, "label"]);
export type ShownAudience = z.infer<typeof ShownAudience>;
