/** Draws the course of the seasons: in a terminal, and as an SVG. */
import type { Band, Summary } from "./summary.ts";

const ROWS = 16;
const COLUMNS = 70;

/** The value of a chart's row, counted from the top. */
const countAt = (row: number, most: number): number => ((ROWS - row) * most) / ROWS;

/** A mark for the median, and shades for the bands. */
const shadeOf = (band: Band, low: number, high: number): string => {
  const overlaps = (from: number, until: number): boolean => from < high && until >= low;
  if (overlaps(band.median, band.median)) return "█";
  if (overlaps(band.low50, band.high50)) return "▒";
  return overlaps(band.low90, band.high90) ? "░" : " ";
};

const column = (bands: readonly Band[], at: number): Band | undefined =>
  bands[Math.round((at / (COLUMNS - 1)) * (bands.length - 1))];

/** Frames rows of characters with an axis of counts and one of days. */
const framed = (title: string, rows: readonly string[], most: number, days: number): string => {
  const labels = rows.map((_, row) => (row % 4 === 0 ? String(Math.round(countAt(row, most))) : ""));
  const step = Math.ceil(days / 10);
  const marks = Array.from({ length: Math.floor(days / step) + 1 }, (_, at) => at * step);
  const axis = marks.reduce(
    (line, day) => line.padEnd(Math.round((day / days) * (COLUMNS - 1)), " ") + String(day),
    "",
  );
  return [
    title,
    ...rows.map((row, at) => `${(labels[at] ?? "").padStart(6)} ┤${row.trimEnd()}`),
    `${"0".padStart(6)} ┼${"─".repeat(COLUMNS)}`,
    `${" ".repeat(8)}${axis} days`,
  ].join("\n");
};

/** The humans over time with their bands, for a terminal. */
export const terminalPlot = ({ humans, players, days }: Summary): string => {
  const rows = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, at) => {
      const band = column(humans, at);
      const high = row === 0 ? Number.POSITIVE_INFINITY : countAt(row, players);
      return band === undefined ? " " : shadeOf(band, countAt(row + 1, players), high);
    }).join(""),
  );
  return framed("Humans: █ median, ▒ half of the seasons, ░ nine tenths", rows, players, days);
};

const LETTERS = "ABCDEF";

/** The medians of the humans of several rules, for a terminal. */
export const terminalComparison = (summaries: readonly Summary[]): string => {
  const days = Math.max(...summaries.map((one) => one.days));
  const most = Math.max(...summaries.map((one) => one.players));
  const rows = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, () => " "));
  for (const [index, summary] of summaries.entries()) {
    const width = Math.round(((COLUMNS - 1) * summary.days) / days);
    for (let at = 0; at <= width; at += 1) {
      const { median = 0 } = summary.humans[Math.round((at / width) * (summary.humans.length - 1))] ?? {};
      const row = rows[Math.min(ROWS - 1, Math.floor(ROWS - (median / most) * ROWS))];
      if (row !== undefined) row[at] = row[at] === " " ? (LETTERS[index] ?? "?") : "*";
    }
  }
  const names = summaries.map(({ name }, index) => `${LETTERS[index]} ${name}`).join(", ");
  const lines = rows.map((row) => row.join(""));
  return framed(`Humans, medians: ${names} (* several)`, lines, most, days);
};

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = { top: 48, right: 120, bottom: 40, left: 48 };
const COLORS = ["#2563eb", "#dc2626", "#6b7280", "#059669", "#d97706", "#7c3aed"];

interface Line {
  name: string;
  bands: readonly Band[];
  days: number;
}

/** A chart of lines with their bands, as an SVG document. */
const svgOf = (title: string, lines: readonly Line[], most: number, withBands: boolean): string => {
  const days = Math.max(...lines.map((line) => line.days));
  const x = (day: number): number => MARGIN.left + (day / days) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (count: number): number =>
    HEIGHT - MARGIN.bottom - (count / most) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const point = (hour: number, count: number): string => `${x(hour / 24).toFixed(1)},${y(count).toFixed(1)}`;
  const area = (bands: readonly Band[], low: keyof Band, high: keyof Band): string =>
    [
      ...bands.map((band, hour) => point(hour, band[high])),
      ...bands.map((band, hour) => point(hour, band[low])).toReversed(),
    ].join(" ");
  const drawn = lines.map(({ name, bands }, index) => {
    const color = COLORS[index] ?? "#000000";
    const shades = withBands
      ? `<polygon points="${area(bands, "low90", "high90")}" fill="${color}" opacity="0.12"/>
<polygon points="${area(bands, "low50", "high50")}" fill="${color}" opacity="0.25"/>
`
      : "";
    const top = MARGIN.top + 10 + index * 22;
    return `${shades}<polyline points="${bands.map((band, hour) => point(hour, band.median)).join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>
<text x="${WIDTH - MARGIN.right + 12}" y="${top}" fill="${color}">${name}</text>`;
  });
  const step = Math.ceil(days / 10);
  const dayMarks = Array.from({ length: Math.floor(days / step) + 1 }, (_, at) => at * step).map(
    (day) => `<text x="${x(day)}" y="${HEIGHT - MARGIN.bottom + 20}" text-anchor="middle">${day}</text>`,
  );
  const countMarks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const count = Math.round(share * most);
    return `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(count)}" y2="${y(count)}" stroke="#d1d5db"/>
<text x="${MARGIN.left - 8}" y="${y(count) + 4}" text-anchor="end">${count}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#374151">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${MARGIN.left}" y="24" font-size="15" font-weight="600">${title}</text>
${[...countMarks, ...dayMarks, ...drawn].join("\n")}
<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 6}" text-anchor="end">days</text>
</svg>
`;
};

/** The course of one set of rules, with bands, or the humans of several. */
export const svgPlot = (summaries: readonly Summary[]): string => {
  const [first] = summaries;
  if (first === undefined) return "";
  const most = Math.max(...summaries.map(({ players }) => players));
  if (summaries.length > 1) {
    const lines = summaries.map(({ name, humans, days }) => ({ name, bands: humans, days }));
    return svgOf("Humans left, medians", lines, most, false);
  }
  const { days, humans, zombies, corpses, seasons } = first;
  const lines = [
    { name: "Humans", bands: humans, days },
    { name: "Zombies", bands: zombies, days },
    { name: "Corpses", bands: corpses, days },
  ];
  const title = `${seasons.toLocaleString("en")} seasons: median, half and nine tenths of them`;
  return svgOf(title, lines, most, true);
};
