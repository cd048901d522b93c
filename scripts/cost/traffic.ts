/** How often each operation is asked for in a game, by the model of a week that the bench of scale plays. */

import { MOST_AT_ONCE } from "../../lib/jobs/bulk.ts";
import {
  DAILY_RATES,
  GAME_MASTER_RATES,
  huntRates,
  MISSIONS,
  ordinaryRates,
  PLAYERS,
  RATES_PER_HUNT,
  STARVING_SHARE,
} from "./trafficModel.ts";

const WEEK = 7;
const DAY_MINUTES = 1_440;
const DAY_SECONDS = 86_400;
/** The model's game masters have so many screens, and its players are a million. */
const SCREENS = 20;
const LEAST_SCREENS = 2;

export interface Traffic {
  /** How often each operation is asked for, in all. */
  requests: ReadonlyMap<string, number>;
  /** Who has been tagged. */
  hunts: number;
  /** How often browsers ask first whether they may send a request (OPTIONS); the gateway answers that itself. */
  preflights: number;
}

/** For how long browsers keep what a preflight answered, in hours: `maxAge` of serverless.yml. */
export const PREFLIGHT_HOURS = 2;
const HOURS = 24;

/** How much of a player's day falls on each stretch of that length. */
const STRETCHES: readonly number[] = (() => {
  const hours = Array.from({ length: HOURS }, (_, hour) => ordinaryRates(hour)["GET /player"] ?? 0);
  const day = hours.reduce((sum, part) => sum + part, 0);
  return Array.from({ length: HOURS / PREFLIGHT_HOURS }, (_, at) => {
    const stretch = hours.slice(at * PREFLIGHT_HOURS, (at + 1) * PREFLIGHT_HOURS);
    return stretch.reduce((sum, part) => sum + part, 0) / day;
  });
})();

/**
 * The preflights of one browser in a day for one address, which is asked so many times: one in each stretch in which there
 * is a request at all, where requests come at random.
 */
export const preflightsOf = (times: number): number =>
  STRETCHES.reduce((sum, share) => sum + 1 - Math.exp(-times * share), 0);

const missionsIn = (days: number): number =>
  Array.from({ length: days }, (_, day) => day % WEEK).filter((day) => MISSIONS.days.includes(day)).length;

/** The operations that come over HTTP, and those that the service sets going by itself. */
export const BACKGROUND_OPERATIONS = ["sweep, nobody due", "sweep, batch of 48", "hunt announced"] as const;

/**
 * The requests of a game of so many players and days: everybody joins, subscribes and plays as in the model, and
 * nobody is tagged twice. Without players it is a stage that is idle: nobody calls it, and the sweep runs.
 */
export const trafficOf = (players: number, days: number): Traffic => {
  if (players === 0) {
    return { requests: new Map([["sweep, nobody due", days * DAY_MINUTES]]), hunts: 0, preflights: 0 };
  }
  const requests = new Map<string, number>();
  const add = (operation: string, times: number): void => {
    requests.set(operation, (requests.get(operation) ?? 0) + times);
  };
  const inMissions = (MISSIONS.hunts * MISSIONS.minutes * 60 * missionsIn(days) * players) / PLAYERS;
  const inPeace = (DAILY_RATES.hunt ?? 0) * players * days;
  const hunts = Math.min(players, inMissions + inPeace);
  const underWay = hunts / (inMissions + inPeace);
  for (const [operation, times] of Object.entries(DAILY_RATES)) {
    if (operation !== "hunt") add(operation, times * players * days);
  }
  for (const [operation, times] of Object.entries(RATES_PER_HUNT))
    add(operation, times * inMissions * underWay);
  for (const [operation, times] of Object.entries(huntRates(hunts))) add(operation, times);
  const ordinaryDay = Object.entries(DAILY_RATES).filter(([operation]) => operation !== "hunt");
  let preflights = ordinaryDay.reduce((all, [, times]) => all + preflightsOf(times), 0) * players * days;
  // Of what is asked seldom, each has its own.
  const withHunts = Object.values(RATES_PER_HUNT).reduce((all, times) => all + times, 0);
  preflights += hunts + withHunts * inMissions * underWay + 2 * players;
  const screens = Math.max(LEAST_SCREENS, (SCREENS * players) / PLAYERS);
  for (const [operation, perSecond] of Object.entries(GAME_MASTER_RATES)) {
    const aDay = (perSecond / SCREENS) * DAY_SECONDS;
    add(operation, aDay * screens * days);
    preflights += preflightsOf(aDay) * screens * days;
  }
  add("new account", players);
  add("subscribe", players);
  add("hunt announced", hunts);
  add("sweep, nobody due", days * DAY_MINUTES);
  add("sweep, batch of 48", (hunts * STARVING_SHARE) / MOST_AT_ONCE);
  return { requests, hunts, preflights };
};
