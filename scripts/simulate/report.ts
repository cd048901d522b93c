/** The table that `npm run simulate` prints. */
import { alignColumns } from "../cli/table.ts";
import type { Band, Summary } from "./summary.ts";

const days = (hours: number): string => (hours / 24).toFixed(1);
const percent = (share: number): string => `${Math.round(share * 100)} %`;

const bandText = ({ low90, median, high90 }: Band, show: (value: number) => string = String): string =>
  `${show(median)} (${show(low90)} to ${show(high90)})`;

const CURED = "Zombies whom antidotes made human";

const ROWS: [title: string, show: (summary: Summary) => string][] = [
  ["Humans left at the end", ({ survivors }) => bandText(survivors)],
  ["Zombies that starved", ({ starved }) => bandText(starved)],
  [CURED, ({ cured }) => bandText(cured)],
  [
    "Half of the humans tagged after, in days",
    ({ halfTagged }) => (halfTagged === null ? "never" : bandText(halfTagged, days)),
  ],
  ["Seasons in which every human was tagged", ({ extinct }) => percent(extinct)],
  ["Seasons in which every zombie starved first", ({ diedOut }) => percent(diedOut)],
];

/** A table with a column for each set of rules: medians, and in brackets the range of nine tenths of the seasons. */
export const formatSummaries = (summaries: readonly Summary[]): string => {
  const hasAntidotes = summaries.some(({ cured }) => cured.high90 > 0);
  const rows = ROWS.filter(([title]) => hasAntidotes || title !== CURED);
  const table = [
    ["", ...summaries.map(({ name }) => name || "median (90 % of seasons)")],
    ...rows.map(([title, show]) => [title, ...summaries.map(show)]),
  ];
  return alignColumns(table).join("\n");
};

/** What missions change, in a sentence, by the medians of seasons of the same rules without and with them. */
export const formatEffect = (without: Summary, withMissions: Summary): string => {
  const change = (
    band: (summary: Summary) => Band | null,
    inWords: (size: number, isMore: boolean) => string,
  ): string[] => {
    const [before, after] = [band(without)?.median, band(withMissions)?.median];
    if (before === undefined || after === undefined || before === after) return [];
    return [inWords(Math.abs(after - before), after > before)];
  };
  const count = (size: number, isMore: boolean): string => `${size} ${isMore ? "more" : "fewer"}`;
  const changes = [
    ...change(
      ({ survivors }) => survivors,
      (...by) => `${count(...by)} humans are left`,
    ),
    ...change(
      ({ halfTagged }) => halfTagged,
      (hours, isMore) => `half of the humans are tagged ${days(hours)} days ${isMore ? "later" : "earlier"}`,
    ),
    ...change(
      ({ starved }) => starved,
      (...by) => `${count(...by)} zombies starve`,
    ),
  ];
  return `With the missions, by the medians: ${changes.join("; ") || "nothing changes"}.`;
};
