/** How often each operation is asked for in a game, by the model of a week that the bench of scale plays. */

import { PLAYERS } from "../../bench/scale/crowds.ts";
import { A_DAY, huntsOnly, MASTERS, MISSIONS, STARVING, WITH_EACH_HUNT } from "../../bench/scale/traffic.ts";
import { MOST_AT_ONCE } from "../../lib/store/many.ts";

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
}

const missionsIn = (days: number): number =>
  Array.from({ length: days }, (_, day) => day % WEEK).filter((day) => MISSIONS.days.includes(day)).length;

/** The operations that come over HTTP, and those that the service sets going by itself. */
export const OWN_WORK = ["sweep, nobody due", "sweep, batch of 48", "hunt announced"] as const;

/**
 * The requests of a game of so many players and days: everybody joins, subscribes and plays as in the model, and
 * nobody is tagged twice.
 */
export const trafficOf = (players: number, days: number): Traffic => {
  const requests = new Map<string, number>();
  const add = (operation: string, times: number): void => {
    requests.set(operation, (requests.get(operation) ?? 0) + times);
  };
  const inMissions = (MISSIONS.hunts * MISSIONS.minutes * 60 * missionsIn(days) * players) / PLAYERS;
  const inPeace = (A_DAY.hunt ?? 0) * players * days;
  const hunts = Math.min(players, inMissions + inPeace);
  const underWay = hunts / (inMissions + inPeace);
  for (const [operation, times] of Object.entries(A_DAY)) {
    if (operation !== "hunt") add(operation, times * players * days);
  }
  for (const [operation, times] of Object.entries(WITH_EACH_HUNT))
    add(operation, times * inMissions * underWay);
  for (const [operation, times] of Object.entries(huntsOnly(hunts))) add(operation, times);
  const screens = Math.max(LEAST_SCREENS, (SCREENS * players) / PLAYERS);
  for (const [operation, perSecond] of Object.entries(MASTERS)) {
    add(operation, (perSecond / SCREENS) * screens * days * DAY_SECONDS);
  }
  add("new account", players);
  add("subscribe", players);
  add("hunt announced", hunts);
  add("sweep, nobody due", days * DAY_MINUTES);
  add("sweep, batch of 48", (hunts * STARVING) / MOST_AT_ONCE);
  return { requests, hunts };
};
