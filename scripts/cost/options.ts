/** Validates the options of `npm run cost`. */
import { numberOption } from "../cli/numberOption.ts";
import { UserError } from "../cli/userError.ts";
import { DAY_MINUTES } from "./assumptions.ts";
import type { Plan } from "./bill.ts";
import type { Figures } from "./figures.ts";
import { REGIONS, type Region } from "./prices.ts";

export const MAX_PLAYERS = 10_000_000;
export const MAX_DAYS = 366;
export const MAX_MAILS = 1_000;
const MAX_STAGES = 100;

const regionOf = (text: string): Region => {
  const region = REGIONS.find((one) => one === text);
  if (region === undefined)
    throw new UserError(`There are no prices for ${text}. Give --region ${REGIONS.join(" or ")}.`);
  return region;
};

export interface CostOptions {
  players?: string | undefined;
  days?: string | undefined;
  region?: string | undefined;
  stages: string;
  shards: string;
  "minutes-open": string;
  mails: string;
}

/**
 * Validates the options.
 * @param usual the default region
 * @throws UserError if an option is missing or out of range, or the number of shards was not measured
 */
export const parseCostOptions = (
  { players, days, region, stages, shards, "minutes-open": minutes, mails }: CostOptions,
  usual: string,
  figures: Pick<Figures, "shards">,
): Pick<Plan, "players" | "days" | "region" | "stages" | "shards" | "minutesOpen" | "mails"> => {
  const measured = figures.shards.find((one) => String(one) === shards);
  const options = {
    players: numberOption("players", players, 0, MAX_PLAYERS),
    days: numberOption("days", days, 1, MAX_DAYS),
    stages: numberOption("stages", stages, 1, MAX_STAGES),
    region: regionOf(region ?? usual),
    mails: numberOption("mails", mails, 0, MAX_MAILS),
    minutesOpen: numberOption("minutes-open", minutes, 0, DAY_MINUTES),
  };
  if (measured === undefined) {
    throw new UserError(`--shards ${shards} was not measured: use ${figures.shards.join(", ")}.`);
  }
  return { ...options, shards: measured };
};
