/** The numbers of players in each state, as responses contain and describe them. */
import * as z from "zod/mini";
import { byCounter, STATE_NAMES, STATE_PROSE, TAKING_PART } from "../domain/players/states.ts";
import { integer } from "../domain/schemas.ts";

export const COUNTS_FIELDS = { total: integer, ...byCounter(STATE_NAMES, () => integer) };

/** The number of players in each state. */
export const CountsView = z.lazy(() => z.object(COUNTS_FIELDS));

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Describes the fields of {@link COUNTS_FIELDS}. */
export const countsProse = () => ({
  total: "All players.",
  ...byCounter(STATE_NAMES, (state) => `${capitalized(STATE_PROSE[state])}.`),
});

/** The numbers at the end of an hour or a day, or now. `from` is when it begins. */
export const StatisticsPoint = z.lazy(() =>
  z.object({
    from: z.iso.datetime(),
    ...byCounter(TAKING_PART, () => integer),
    hunts: integer,
  }),
);

/** Describes the fields of {@link StatisticsPoint}. */
export const statisticsProse = () => ({
  from: "When the interval begins.",
  ...byCounter(TAKING_PART, (state) => `The number of ${STATE_PROSE[state]}.`),
  humans: "The number of humans at the end of the interval, or now.",
  hunts: "The number of hunts in the interval.",
});
