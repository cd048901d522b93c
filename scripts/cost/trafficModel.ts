/**
 * A traffic model of a game with a million players for a week: requests by hour, bursts after missions, and the
 * starvations that follow a burst. All of it is assumed.
 */

export type Rates = Readonly<Record<string, number>>;

const DAY_SECONDS = 86_400;

/** The share of hunts that feed three zombies. */
const SHARED = 0.05;

/** The rates of hunts alone. */
export const huntRates = (hunts: number): Rates => ({
  hunt: hunts * (1 - SHARED),
  "hunt, shared by three": hunts * SHARED,
});

/** Requests of browsers per hunt: both players reload their page, some look at news. */
export const RATES_PER_HUNT: Rates = {
  "GET /player": 2,
  "GET /game": 0.05,
  "leaderboard of 100": 0.05,
  "page of 100 users": 0.01,
  "page of 100 starving": 0.02,
  "page of 100 interactions": 0.02,
  login: 0.02,
};

/** Requests per second of twenty game masters with open screens. */
export const GAME_MASTER_RATES: Rates = {
  "page of 100 players, for game masters": 0.2,
  "player count, for game masters": 0.5,
};

/** The rates of a burst of hunts after a mission, with the requests of the players' browsers. */
export const burstRates = (hunts: number): Rates => ({
  ...huntRates(hunts),
  ...Object.fromEntries(Object.entries(RATES_PER_HUNT).map(([name, times]) => [name, times * hunts])),
  ...GAME_MASTER_RATES,
});

/** How often the web app asks what is new while it is visible, and for how long a player has it open each day. */
export const POLL_SECONDS = 15;
export const OPEN_MINUTES = 20;

/** Returns how often a page that is open for some minutes asks what is new. */
export const openPageRate = (minutes: number): number => (minutes * 60) / POLL_SECONDS;

/** How often a player opens the web app each day, and how many requests that takes: the page and its service worker. */
export const OPENINGS = 10;
export const REQUESTS_PER_OPENING = 2;
/** The requests of the first visit, which are repeated after each deployment. */
export const FILES = 16;
export const DEPLOYMENTS_PER_WEEK = 1;

/** Requests per player on a day without a mission. */
export const DAILY_RATES: Rates = {
  hunt: 0.03,
  "GET /live": openPageRate(OPEN_MINUTES),
  "GET /player": 20,
  "GET /game": 4,
  "leaderboard of 100": 2,
  "page of 100 users": 0.2,
  "page of 100 starving": 0.5,
  "page of 100 interactions": 1,
  login: 0.3,
};

/** The relative traffic of each hour of a day, from midnight on. */
const BY_HOUR = [
  0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0.3, 0.7, 1.1, 1.2, 1.2, 1.3, 1.5, 1.3, 1.2, 1.2, 1.3, 1.4, 1.6, 1.8, 1.9,
  1.7, 1.4, 0.9,
];
const WHOLE_DAY = BY_HOUR.reduce((sum, part) => sum + part, 0) / BY_HOUR.length;

/** The rates in an hour of a day without missions. */
export const ordinaryRates = (hour: number): Rates => {
  const part = (BY_HOUR[hour % BY_HOUR.length] ?? 0) / WHOLE_DAY;
  const rates = Object.entries(DAILY_RATES).map(([name, times]) => [
    name,
    (times * PLAYERS * part) / DAY_SECONDS,
  ]);
  return { ...Object.fromEntries(rates), ...GAME_MASTER_RATES };
};

export const MISSION_HOUR = 20;
/** The days of a week with a mission, its duration, and hunts per second. */
export const MISSIONS = { days: [1, 3, 5], minutes: 2, hunts: 2_000 };
/** The share of infected players who starve after 48 hours because nobody feeds them. */
export const STARVING_SHARE = 0.5;

export const PLAYERS = 1_000_000;
