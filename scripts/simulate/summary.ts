/** Summarizes many seasons: medians, and the bands in which half and nine tenths of the seasons lie. */
import type { Counts, Season } from "./season.ts";

/** The shares of the seasons that have at most this value. */
export const LEVELS = { low90: 0.05, low50: 0.25, median: 0.5, high50: 0.75, high90: 0.95 } as const;
export type Band = Record<keyof typeof LEVELS, number>;

/** The quantiles of the values, without interpolation. */
const bandOf = (values: readonly number[]): Band => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (level: number): number => sorted[Math.round(level * (sorted.length - 1))] ?? 0;
  const { low90, low50, median, high50, high90 } = LEVELS;
  return { low90: at(low90), low50: at(low50), median: at(median), high50: at(high50), high90: at(high90) };
};

/** The seasons of one set of rules. */
export interface Summary {
  name: string;
  players: number;
  days: number;
  seasons: number;
  /** At the start, and after each hour. */
  humans: Band[];
  zombies: Band[];
  corpses: Band[];
  starved: Band;
  /** Zombies whom antidotes made human. */
  cured: Band;
  survivors: Band;
  /** Hours until half of the first humans were tagged, in the seasons in which they were; `null` if in none. */
  halfTagged: Band | null;
  /** The share of the seasons in which the last human was tagged. */
  extinct: number;
  /** The share of the seasons in which every zombie starved while humans were left. */
  diedOut: number;
}

const lastOf = ({ hours }: Season): Counts => hours.at(-1) ?? { humans: 0, zombies: 0, corpses: 0 };

/** Summarizes seasons of the same rules. */
export const summarize = (
  name: string,
  { players, days }: { players: number; days: number },
  seasons: readonly Season[],
): Summary => {
  const hourly = (state: keyof Counts): Band[] =>
    (seasons[0]?.hours ?? []).map((_, hour) => bandOf(seasons.map(({ hours }) => hours[hour]?.[state] ?? 0)));
  const halves = seasons
    .map(({ hours }) => hours.findIndex(({ humans }) => humans * 2 <= (hours[0]?.humans ?? 0)))
    .filter((hour) => hour >= 0);
  const shareOf = (isSo: (season: Season) => boolean): number => seasons.filter(isSo).length / seasons.length;
  return {
    name,
    players,
    days,
    seasons: seasons.length,
    humans: hourly("humans"),
    zombies: hourly("zombies"),
    corpses: hourly("corpses"),
    starved: bandOf(seasons.map(({ starved }) => starved)),
    cured: bandOf(seasons.map(({ cured }) => cured)),
    survivors: bandOf(seasons.map((season) => lastOf(season).humans)),
    halfTagged: halves.length === 0 ? null : bandOf(halves),
    extinct: shareOf(({ lastTagAt }) => lastTagAt !== null),
    diedOut: shareOf((season) => lastOf(season).zombies === 0 && lastOf(season).humans > 0),
  };
};
