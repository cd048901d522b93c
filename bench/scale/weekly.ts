/** The whole week by its rates: what it comes to in units, and where a minute of it is more than a partition bears. */

import { PLAYERS, WEEK_MINUTES, weekRates } from "../../scripts/cost/trafficModel.ts";
import type { Row } from "../support/report.ts";
import { type Load, unitsOf, type Weigh } from "./bottleneck.ts";
import type { Recipe } from "./requests.ts";

const MINUTE = 60;

const inMillions = (count: number): string => (count / 1e6).toFixed(1);

/** @throws Error when more are hunted than there are, or nobody is */
export const weekOf = (
  shards: number,
  recipes: ReadonlyMap<string, readonly Recipe[]>,
  weigh: Weigh,
): Row => {
  const unitsBy = new Map([...recipes].map(([operation, own]) => [operation, unitsOf(own)]));
  let [requests, hunts, read, write, over] = [0, 0, 0, 0, 0];
  let fullest: Load | undefined;
  const minutes = weekRates();
  for (const rates of minutes) {
    const [first] = weigh(rates);
    if (first !== undefined && first.part > (fullest?.part ?? 0)) fullest = first;
    if (first !== undefined && first.part > 1) over += 1;
    for (const [operation, perSecond] of Object.entries(rates)) {
      const times = perSecond * MINUTE;
      const units = unitsBy.get(operation);
      requests += times;
      if (operation.startsWith("hunt")) hunts += times;
      read += (units?.read ?? 0) * times;
      write += (units?.write ?? 0) * times;
    }
  }
  if (minutes.length !== WEEK_MINUTES || hunts > PLAYERS || hunts < PLAYERS / 2) {
    throw new Error(`${hunts} hunts in ${minutes.length} minutes`);
  }
  return {
    shards,
    "requests, millions": inMillions(requests),
    hunts: Math.round(hunts).toLocaleString("en"),
    "read units, millions": inMillions(read),
    "write units, millions": inMillions(write),
    fullest: fullest === undefined ? "" : `${fullest.direction}s of ${fullest.kind}`,
    "of its limit, %": ((fullest?.part ?? 0) * 100).toFixed(0),
    "minutes over a limit": over,
  };
};
