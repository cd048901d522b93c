/** The number of operations in a game, from the traffic model that the scale benchmark uses. */
import { MAX_PLAYERS_PER_BATCH } from "../../lib/jobs/bulk.ts";
import {
  DAILY_RATES,
  DEPLOYMENTS_PER_WEEK,
  FILES,
  GAME_MASTER_RATES,
  huntRates,
  MISSIONS,
  OPEN_MINUTES,
  OPENINGS,
  openPageRate,
  ordinaryRates,
  PLAYERS,
  RATES_PER_HUNT,
  REQUESTS_PER_OPENING,
  STARVING_SHARE,
} from "./trafficModel.ts";

const WEEK = 7;
const DAY_MINUTES = 1_440;
const DAY_SECONDS = 86_400;
/** The number of open screens of game masters in the model, which has a million players. */
const SCREENS = 20;
const MIN_SCREENS = 2;

export interface Traffic {
  /** The total number of each operation. */
  requests: ReadonlyMap<string, number>;
  /** The number of players who were tagged. */
  hunts: number;
  /** The number of preflight requests (OPTIONS), which the gateway answers itself. */
  preflights: number;
}

/** How many hours browsers cache a preflight response: `maxAge` in serverless.yml. */
export const PREFLIGHT_HOURS = 2;
const HOURS = 24;

/** The share of a player's daily requests in each of these periods. */
const STRETCHES: readonly number[] = (() => {
  const hours = Array.from({ length: HOURS }, (_, hour) => ordinaryRates(hour)["GET /player"] ?? 0);
  const day = hours.reduce((sum, part) => sum + part, 0);
  return Array.from({ length: HOURS / PREFLIGHT_HOURS }, (_, at) => {
    const stretch = hours.slice(at * PREFLIGHT_HOURS, (at + 1) * PREFLIGHT_HOURS);
    return stretch.reduce((sum, part) => sum + part, 0) / day;
  });
})();

/**
 * Returns the number of preflights per browser and day for a URL that is requested this many times: one in each
 * period with at least one request, if requests arrive at random.
 */
export const preflightsOf = (times: number): number =>
  STRETCHES.reduce((sum, share) => sum + 1 - Math.exp(-times * share), 0);

const missionsIn = (days: number): number =>
  Array.from({ length: days }, (_, day) => day % WEEK).filter((day) => MISSIONS.days.includes(day)).length;

/** A mail, from the outbox to the mail server. */
export const MAIL_OPERATION = "mail sent";

/** Operations that the service starts itself; all others are HTTP requests. */
export const BACKGROUND_OPERATIONS = [
  ...(["sweep, nobody due", "sweep, batch of 48", "hunt announced"] as const),
  MAIL_OPERATION,
] as const;

/** Requests for the web app's page and files. Only the page reads: half a unit for its name, too little to count. */
export const PAGE_OPERATIONS = ["web app opened", "files of a new web app"] as const;

/**
 * Returns the traffic of a game: every player joins, subscribes and plays as in the model, and is tagged at most
 * once. Without players the stage is idle and only the sweep runs.
 * @param minutesOpen how many minutes a day each player has the web app open
 */
export const trafficOf = (players: number, days: number, minutesOpen = OPEN_MINUTES): Traffic => {
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
  // Nobody is tagged twice, so only a share of the hunts of the model is possible.
  const possible = hunts / (inMissions + inPeace);
  const daily = { ...DAILY_RATES, "GET /live": openPageRate(minutesOpen) };
  for (const [operation, times] of Object.entries(daily)) {
    if (operation !== "hunt") add(operation, times * players * days);
  }
  for (const [operation, times] of Object.entries(RATES_PER_HUNT))
    add(operation, times * inMissions * possible);
  for (const [operation, times] of Object.entries(huntRates(hunts))) add(operation, times);
  // The web app polls its own origin.
  const ordinaryDay = Object.entries(DAILY_RATES).filter(
    ([operation]) => operation !== "hunt" && operation !== "GET /live",
  );
  let preflights = ordinaryDay.reduce((all, [, times]) => all + preflightsOf(times), 0) * players * days;
  // Rare requests need a preflight each.
  const withHunts = Object.values(RATES_PER_HUNT).reduce((all, times) => all + times, 0);
  preflights += hunts + withHunts * inMissions * possible + 2 * players;
  const screens = Math.max(MIN_SCREENS, (SCREENS * players) / PLAYERS);
  for (const [operation, perSecond] of Object.entries(GAME_MASTER_RATES)) {
    const aDay = (perSecond / SCREENS) * DAY_SECONDS;
    add(operation, aDay * screens * days);
    preflights += preflightsOf(aDay) * screens * days;
  }
  // An open page also takes the files of a deployment, from the same origin and so without preflights.
  add("web app opened", OPENINGS * REQUESTS_PER_OPENING * players * days);
  add("files of a new web app", FILES * players * (1 + (DEPLOYMENTS_PER_WEEK * days) / WEEK));
  add("new account", players);
  add("subscribe", players);
  add("hunt announced", hunts);
  add("sweep, nobody due", days * DAY_MINUTES);
  add("sweep, batch of 48", (hunts * STARVING_SHARE) / MAX_PLAYERS_PER_BATCH);
  return { requests, hunts, preflights };
};
