/**
 * The traffic of a game of a million players in a week: by how many each operation is asked for, hour by hour, in the
 * bursts after missions, and when those die whom a burst has infected. These are assumptions; they all stand here.
 */

export type Rates = Readonly<Record<string, number>>;

const DAY_SECONDS = 86_400;

/** One in twenty tags feeds three. */
const SHARED = 0.05;

/** Hunts, and nothing else. */
export const huntsOnly = (hunts: number): Rates => ({
  hunt: hunts * (1 - SHARED),
  "hunt, shared by three": hunts * SHARED,
});

/** What browsers ask for with each hunt: both look at themselves, some at what is new. */
export const WITH_EACH_HUNT: Rates = {
  "GET /player": 2,
  "GET /game": 0.05,
  "leaderboard of 100": 0.05,
  "page of 100 users": 0.01,
  "page of 100 starving": 0.02,
  "page of 100 interactions": 0.02,
  login: 0.02,
};

/** What twenty game masters have on their screens. */
export const MASTERS: Rates = {
  "page of 100 players, for game masters": 0.2,
  "player count, for game masters": 0.5,
};

/** Hunts after a mission, and the browsers of those who hunt. */
export const burst = (hunts: number): Rates => ({
  ...huntsOnly(hunts),
  ...Object.fromEntries(Object.entries(WITH_EACH_HUNT).map(([name, times]) => [name, times * hunts])),
  ...MASTERS,
});

/** How often a player asks for something on a day without a mission. */
export const A_DAY: Rates = {
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
export const ordinary = (hour: number): Rates => {
  const part = (BY_HOUR[hour % BY_HOUR.length] ?? 0) / WHOLE_DAY;
  const rates = Object.entries(A_DAY).map(([name, times]) => [name, (times * PLAYERS * part) / DAY_SECONDS]);
  return { ...Object.fromEntries(rates), ...MASTERS };
};

export const EVENING = 20;
/** On these days of a week, in the evening, for so many minutes. */
export const MISSIONS = { days: [1, 3, 5], minutes: 2, hunts: 2_000 };
/** Of those who are infected, so many die after 48 hours: nobody has fed them. */
export const STARVING = 0.5;

export const PLAYERS = 1_000_000;
