/** A stacked area chart of the numbers of players in each state over time. */
import { useState } from "preact/hooks";
import {
  type CounterOf,
  counterOf,
  type PlayingState,
  TAKING_PART,
} from "../../../lib/domain/players/states.ts";
import { en } from "../text/en.ts";
import { dayText, timeText } from "../text/times.ts";
import "./chart.css";

export type ChartPoint = { from: string } & Record<CounterOf<PlayingState>, number>;

const WIDTH = 720;
const HEIGHT = 240;
/** The upper boundary of the area of a state: its count, and those of all states below it in the stack. */
const boundaryOf = (point: ChartPoint, layer: number): number =>
  TAKING_PART.slice(layer).reduce((sum, state) => sum + point[counterOf(state)], 0);

interface ChartProps {
  points: readonly ChartPoint[];
  /** The end of the picture, in milliseconds since 1970. */
  now: number;
  /** When it is looked at, if that is not its end. */
  today?: number;
  /** What the picture shows; the outbreak so far by default. */
  label?: string;
}

/** The chart as a table, for screen readers too. Samples about 24 of the points. */
const Table = ({ points, now, today = now }: ChartProps) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{en.chart.time}</th>
        {TAKING_PART.map((state) => (
          <th key={state} scope="col">
            {en.counts[counterOf(state)](2)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {points
        .filter((_, at) => at % Math.ceil(points.length / 24) === 0 || at === points.length - 1)
        .map(({ from, ...counts }) => (
          <tr key={from} class="number">
            <th scope="row">{timeText(Date.parse(from), today)}</th>
            {TAKING_PART.map((state) => (
              <td key={state}>{counts[counterOf(state)]}</td>
            ))}
          </tr>
        ))}
    </tbody>
  </table>
);

export const Chart = ({ points, now, label }: ChartProps) => {
  const [isOpen, setOpen] = useState(false);
  const max = Math.max(1, ...points.map((point) => boundaryOf(point, 0)));
  const x = (at: number): number => (WIDTH * at) / Math.max(1, points.length - 1);
  const y = (count: number): number => HEIGHT - (HEIGHT * count) / max;
  const boundaryPoints = (layer: number): string[] =>
    points.map((point, at) => `${x(at).toFixed(1)},${y(boundaryOf(point, layer)).toFixed(1)}`);
  const days = points.flatMap(({ from }, at) => {
    const isNew = at > 0 && dayText(Date.parse(from)) !== dayText(Date.parse(points[at - 1]?.from ?? from));
    return isNew ? [{ at, from }] : [];
  });
  // At most seven labels fit.
  const labelStep = Math.ceil(days.length / 7);
  const last = points.at(-1);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label ?? (last === undefined ? en.chart.label : en.chart.summary(last))}
      >
        {TAKING_PART.map((state, layer) => (
          <path
            key={state}
            data-state={state}
            d={`M${boundaryPoints(layer).join("L")}L${boundaryPoints(layer + 1)
              .toReversed()
              .join("L")}Z`}
          />
        ))}
        {days.map(({ at }) => (
          <line key={at} x1={x(at)} x2={x(at)} y1="0" y2={HEIGHT} />
        ))}
      </svg>
      <p class="chart-days muted" aria-hidden="true">
        {days
          // A label at the right edge would be cut off.
          .filter(({ at }, index) => index % labelStep === 0 && x(at) < 0.88 * WIDTH)
          .map(({ at, from }) => (
            <span key={at} style={{ left: `${(100 * x(at)) / WIDTH}%` }}>
              {dayText(Date.parse(from))}
            </span>
          ))}
      </p>
      <details class="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{en.chart.table}</summary>
        {isOpen ? <Table points={points} now={now} /> : null}
      </details>
    </figure>
  );
};
