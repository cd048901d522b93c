/** The groups of players that a notification can be for. */
import * as z from "zod/mini";
import { counterOf, TAKING_PART } from "../players/states.ts";

export const AUDIENCES = ["all", ...TAKING_PART.map(counterOf), "moderators"] as const;

/** An audience as players see it. They do not see labels. */
export const ShownAudience = z.enum([...AUDIENCES, "label"]);
export type ShownAudience = z.infer<typeof ShownAudience>;
