/** How a season ended, as the game stores it (decision 130). */
import * as z from "zod/mini";
import { nullableText, number, text } from "../schemas.ts";
import { Schedule } from "./schedule.ts";

/** Who has won. */
export const SEASON_RESULTS = ["humans", "zombies", "both", "none"] as const;
export type SeasonResult = (typeof SEASON_RESULTS)[number];

/** The end of a season that a game master has declared. Instants are milliseconds since 1970. */
export const Finish = z.lazy(() =>
  z.looseObject({
    season_id: text,
    result: z.enum(SEASON_RESULTS),
    note: nullableText,
    /** When it was declared. */
    at: number,
    /** When the grace ends: from then on the result is known, originals are revealed, and nothing is played. */
    final_at: number,
    /** The schedule before, which reopening the season restores. */
    schedule: z.nullable(Schedule),
  }),
);
export type Finish = z.infer<typeof Finish>;
