/** What `npm run cost` is asked for, judged. */
import { UserError } from "../cli/userError.ts";
import type { Plan } from "./bill.ts";
import type { Figures } from "./figures.ts";
import { REGIONS, type Region } from "./prices.ts";

export const MAX_PLAYERS = 10_000_000;
export const MAX_DAYS = 366;
const MOST_STAGES = 100;

/** A whole number of something. @throws UserError for any other text */
const countOf = (name: string, text: string | undefined, least: number, most: number): number => {
  const range = `a whole number from ${least} to ${most.toLocaleString("en")}`;
  if (text === undefined) throw new UserError(`How many ${name}? --${name} takes ${range}.`);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (count < least || count > most) throw new UserError(`--${name} ${text}: it must be ${range}.`);
  return count;
};

const regionOf = (text: string): Region => {
  const region = REGIONS.find((one) => one === text);
  if (region === undefined)
    throw new UserError(`There are no prices for ${text}: say --region ${REGIONS.join(" or ")}.`);
  return region;
};

/** The options as they were typed. */
export interface CostOptions {
  players?: string | undefined;
  days?: string | undefined;
  region?: string | undefined;
  stages: string;
  shards: string;
}

/**
 * The game that a bill is asked for.
 * @param usual the region where none is named
 * @throws UserError for what is missing, no number, too much, or not measured
 */
export const parseCostOptions = (
  { players, days, region, stages, shards }: CostOptions,
  usual: string,
  figures: Pick<Figures, "shards">,
): Pick<Plan, "players" | "days" | "region" | "stages" | "shards"> => {
  const measured = figures.shards.find((one) => String(one) === shards);
  const asked = {
    players: countOf("players", players, 0, MAX_PLAYERS),
    days: countOf("days", days, 1, MAX_DAYS),
    stages: countOf("stages", stages, 1, MOST_STAGES),
    region: regionOf(region ?? usual),
  };
  if (measured === undefined) {
    throw new UserError(`--shards ${shards}: measured are ${figures.shards.join(", ")}.`);
  }
  return { ...asked, shards: measured };
};
