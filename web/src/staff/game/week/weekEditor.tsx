/** Edits the weekly play hours: per day a bar and its time ranges. A range may end on the next day. */
import { Copy, Plus, Trash2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { PlayHours } from "../../../schemas.ts";
import { gm } from "../../../text/staff.ts";
import { DAYS, type Day, END_OF_DAY, minutesOf, splitNights } from "../../../text/week.ts";
import { Button } from "../../../ui/button.tsx";
import "./week.css";

const DAY_MINUTES = 24 * 60;
const AXIS = [0, 6, 12, 18, 24];
const NEW_RANGE = ["12:00", "18:00"];

interface WeekEditorProps {
  /** With nights as one range each. */
  hours: PlayHours;
  onChange: (hours: PlayHours) => void;
}

interface RangeProps {
  day: string;
  range: string[];
  onChange: (range: string[]) => void;
  onRemove: () => void;
}

/** A range of hours. A time field cannot show `24:00`, so it shows midnight instead. */
const Range = ({ day, range: [from = "", to = ""], onChange, onRemove }: RangeProps) => {
  const end = useRef<HTMLInputElement>(null);
  const isOvernight = from !== "" && to !== "" && minutesOf(to) < minutesOf(from);
  const error = from === to ? gm.week.empty : "";
  useEffect(() => end.current?.setCustomValidity(error), [error]);
  return (
    <div class="week-range">
      <input
        type="time"
        required
        aria-label={gm.week.from(day)}
        value={from}
        onInput={({ currentTarget }) => onChange([currentTarget.value, to])}
      />
      –
      <input
        ref={end}
        type="time"
        required
        aria-label={gm.week.to(day)}
        value={to === END_OF_DAY ? "00:00" : to}
        onInput={({ currentTarget }) =>
          onChange([from, currentTarget.value === "00:00" ? END_OF_DAY : currentTarget.value])
        }
      />
      <Button text={gm.week.remove(day)} icon={Trash2} isIcon kind="quiet" onClick={onRemove} />
      {isOvernight ? <span class="week-night muted">{gm.week.nextDay}</span> : null}
    </div>
  );
};

export const WeekEditor = ({ hours, onChange }: WeekEditorProps) => {
  const set = (day: Day, ranges: string[][]): void => onChange({ ...hours, [day]: ranges });
  const played = splitNights(hours);
  return (
    <ul class="week" aria-label={gm.week.label}>
      <li class="week-day" aria-hidden="true">
        <div class="week-axis muted">
          {AXIS.map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
      </li>
      {DAYS.map((day) => {
        const ranges = hours[day] ?? [];
        const change = (at: number, range: string[]): void =>
          set(
            day,
            ranges.map((one, index) => (index === at ? range : one)),
          );
        return (
          <li key={day} class="week-day">
            <strong>{gm.days[day]}</strong>
            <div class="week-bar" aria-hidden="true">
              {(played[day] ?? []).map(([from = "", to = ""]) => (
                <span
                  key={`${from}${to}`}
                  style={{
                    left: `${(minutesOf(from) / DAY_MINUTES) * 100}%`,
                    width: `${(Math.max(0, minutesOf(to) - minutesOf(from)) / DAY_MINUTES) * 100}%`,
                  }}
                />
              ))}
            </div>
            <div class="week-ranges">
              {ranges.length === 0 ? <p class="muted">{gm.week.none}</p> : null}
              {ranges.map((range, at) => (
                <Range
                  key={at}
                  day={gm.days[day]}
                  range={range}
                  onChange={(next) => change(at, next)}
                  onRemove={() =>
                    set(
                      day,
                      ranges.filter((_, index) => index !== at),
                    )
                  }
                />
              ))}
              <div class="week-actions">
                <Button
                  text={gm.week.add}
                  icon={Plus}
                  kind="quiet"
                  onClick={() => set(day, [...ranges, NEW_RANGE])}
                />
                {day === "monday" ? (
                  <Button
                    text={gm.week.copy}
                    icon={Copy}
                    kind="quiet"
                    onClick={() => onChange(Object.fromEntries(DAYS.map((one) => [one, ranges])))}
                  />
                ) : null}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
};
