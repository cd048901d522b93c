/** The week of the missions: reveals, starts and ends in the order of their times. Pure. */
import type { Mission } from "../../../schemas.ts";

export interface Moment {
  /** RFC 3339. */
  time: string;
  kind: "reveal" | "start" | "end";
  /** Only of a reveal: for whom. */
  audiences: Mission["briefings"][number]["audience"][];
  mission: Mission;
}

/** The moments of a mission. Briefings that are revealed at the same time are one. */
const momentsOf = (mission: Mission): Moment[] => {
  const reveals = Map.groupBy(mission.briefings, ({ reveal_at }) => reveal_at);
  return [
    ...[...reveals].map(([time, same]) => ({
      ...{ time, kind: "reveal" as const, mission },
      audiences: [...new Set(same.map(({ audience }) => audience))],
    })),
    { time: mission.starts_at, kind: "start", audiences: [], mission },
    { time: mission.ends_at, kind: "end", audiences: [], mission },
  ];
};

const ORDER = ["end", "reveal", "start"];

/** All moments, the earliest first; of those at the same time, ends come before starts. */
export const timelineOf = (missions: readonly Mission[]): Moment[] =>
  missions
    .flatMap(momentsOf)
    .toSorted(
      (one, other) =>
        Date.parse(one.time) - Date.parse(other.time) || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
    );

/** The moments by day, in the order of the days. @param dayOf the day of a time, as text */
export const byDay = (moments: readonly Moment[], dayOf: (time: string) => string): [string, Moment[]][] => [
  ...Map.groupBy(moments, ({ time }) => dayOf(time)),
];
