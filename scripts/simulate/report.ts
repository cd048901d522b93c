/** The table that `npm run simulate` prints. */
import { alignColumns } from "../cli/table.ts";
import type { Band, Summary } from "./summary.ts";

const days = (hours: number): string => (hours / 24).toFixed(1);
const percent = (share: number): string => `${Math.round(share * 100)} %`;

const bandText = ({ low90, median, high90 }: Band, show: (value: number) => string = String): string =>
  `${show(median)} (${show(low90)} to ${show(high90)})`;

const ROWS: [title: string, show: (summary: Summary) => string][] = [
  ["Humans left at the end", ({ survivors }) => bandText(survivors)],
  ["Zombies that starved", ({ starved }) => bandText(starved)],
  [
    "Half of the humans tagged after, in days",
    ({ halfTagged }) => (halfTagged === null ? "never" : bandText(halfTagged, days)),
  ],
  ["Seasons in which every human was tagged", ({ extinct }) => percent(extinct)],
  ["Seasons in which every zombie starved first", ({ diedOut }) => percent(diedOut)],
];

/** A table with a column for each set of rules: medians, and in brackets the range of nine tenths of the seasons. */
export const formatSummaries = (summaries: readonly Summary[]): string => {
  const table = [
    ["", ...summaries.map(({ name }) => name || "median (90 % of seasons)")],
    ...ROWS.map(([title, show]) => [title, ...summaries.map(show)]),
  ];
  return alignColumns(table).join("\n");
};
