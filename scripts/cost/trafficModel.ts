/**
 * The traffic of a game of a million players in a week: by how many each operation is asked for, hour by hour, in the
 * bursts after missions, and when those die whom a burst has infected. These are assumptions; they all stand here.
 */

import { MOST_AT_ONCE } from "../../lib/jobs/bulk.ts";

export type Rates = Readonly<Record<string, number>>;

const DAY_SECONDS = 86_400;
const MINUTES_A_DAY = 1_440;
export const WEEK_MINUTES = 7 * MINUTES_A_DAY;

/** One in twenty tags feeds three. */
const SHARED = 0.05;

/** Hunts, and nothing else. */
export const huntRates = (hunts: number): Rates => ({
  hunt: hunts * (1 - SHARED),
  "hunt, shared by three": hunts * SHARED,
});

/** What browsers ask for with each hunt: both look at themselves, some at what is new. */
export const RATES_PER_HUNT: Rates = {
  "GET /player": 2,
  "GET /game": 0.05,
  "leaderboard of 100": 0.05,
  "page of 100 users": 0.01,
  "page of 100 starving": 0.02,
  "page of 100 interactions": 0.02,
  login: 0.02,
};

/** What twenty game masters have on their screens. */
export const GAME_MASTER_RATES: Rates = {
  "page of 100 players, for game masters": 0.2,
  "player count, for game masters": 0.5,
};

/** Hunts after a mission, and the browsers of those who hunt. */
export const burstRates = (hunts: number): Rates => ({
  ...huntRates(hunts),
  ...Object.fromEntries(Object.entries(RATES_PER_HUNT).map(([name, times]) => [name, times * hunts])),
  ...GAME_MASTER_RATES,
});

/** How often a player asks for something on a day without a mission. */
export const DAILY_RATES: Rates = {
  hunt: 0.03,
  "GET /player": 20,
  "GET /game": 4,
  "leaderboard of 100": 2,
  "page of 100 users": 0.2,
  "page of 100 starving": 0.5,
  "page of 100 interactions": 1,
  login: 0.3,
};

/** How much of a day falls on each of its hours, from midnight on. */
const BY_HOUR = [
  0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0.3, 0.7, 1.1, 1.2, 1.2, 1.3, 1.5, 1.3, 1.2, 1.2, 1.3, 1.4, 1.6, 1.8, 1.9,
  1.7, 1.4, 0.9,
];
const WHOLE_DAY = BY_HOUR.reduce((sum, part) => sum + part, 0) / BY_HOUR.length;

/** An hour of the day as players have it, without missions. */
export const ordinaryRates = (hour: number): Rates => {
  const part = (BY_HOUR[hour % BY_HOUR.length] ?? 0) / WHOLE_DAY;
  const rates = Object.entries(DAILY_RATES).map(([name, times]) => [
    name,
    (times * PLAYERS * part) / DAY_SECONDS,
  ]);
  return { ...Object.fromEntries(rates), ...GAME_MASTER_RATES };
};

export const MISSION_HOUR = 20;
/** On these days of a week, in the evening, for so many minutes. */
export const MISSIONS = { days: [1, 3, 5], minutes: 2, hunts: 2_000 };
/** Of those who are infected, so many die after 48 hours: nobody has fed them. */
export const STARVING_SHARE = 0.5;

const isMission = (minute: number): boolean =>
  MISSIONS.days.some((day) => {
    const since = minute - day * MINUTES_A_DAY - MISSION_HOUR * 60;
    return since >= 0 && since < MISSIONS.minutes;
  });

const huntsOf = (rates: Rates): number => (rates.hunt ?? 0) + (rates["hunt, shared by three"] ?? 0);

/** What comes in each second of each minute of the week. */
export const weekRates = (): Rates[] => {
  const infections: number[] = [];
  return Array.from({ length: WEEK_MINUTES }, (_, minute) => {
    const hour = Math.floor(minute / 60);
    const quiet = ordinaryRates(hour);
    const busy: Rates = isMission(minute) ? burstRates(MISSIONS.hunts) : {};
    const names = new Set([...Object.keys(quiet), ...Object.keys(busy)]);
    const rates = Object.fromEntries(
      [...names].map((name) => [name, (quiet[name] ?? 0) + (busy[name] ?? 0)]),
    );
    infections.push(huntsOf(rates));
    const dead = (infections[minute - 2 * MINUTES_A_DAY] ?? 0) * STARVING_SHARE;
    return { ...rates, "sweep, nobody due": 1 / 60, "sweep, batch of 48": dead / MOST_AT_ONCE };
  });
};

export const PLAYERS = 1_000_000;
