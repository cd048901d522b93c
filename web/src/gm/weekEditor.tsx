/** Edits the weekly play hours: per day a bar and its time ranges. */
import { Copy, Plus, Trash2 } from "lucide";
import { Icon } from "../ui/icon.tsx";
import { gm } from "./texts.ts";
import { DAYS, type Day, minutesOf, type PlayHours } from "./week.ts";
import "./week.css";

const DAY_MINUTES = 24 * 60;
const AXIS = [0, 6, 12, 18, 24];
const NEW_RANGE = ["12:00", "18:00"];

interface WeekEditorProps {
  hours: PlayHours;
  onChange: (hours: PlayHours) => void;
}

/** A time field cannot show `24:00`, so it shows midnight instead. */
const END_OF_DAY = "24:00";

export const WeekEditor = ({ hours, onChange }: WeekEditorProps) => {
  const set = (day: Day, ranges: string[][]): void => onChange({ ...hours, [day]: ranges });
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
              {ranges.map(([from = "", to = ""]) => (
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
              {ranges.map(([from = "", to = ""], at) => (
                <div key={at} class="week-range">
                  <input
                    type="time"
                    aria-label={gm.week.from(gm.days[day])}
                    value={from}
                    onChange={({ currentTarget }) => change(at, [currentTarget.value, to])}
                  />
                  –
                  <input
                    type="time"
                    aria-label={gm.week.to(gm.days[day])}
                    value={to === END_OF_DAY ? "00:00" : to}
                    onChange={({ currentTarget }) =>
                      change(at, [from, currentTarget.value === "00:00" ? END_OF_DAY : currentTarget.value])
                    }
                  />
                  <button
                    type="button"
                    class="button"
                    data-kind="quiet"
                    aria-label={gm.week.remove(gm.days[day])}
                    onClick={() =>
                      set(
                        day,
                        ranges.filter((_, index) => index !== at),
                      )
                    }
                  >
                    <Icon of={Trash2} size={20} />
                  </button>
                </div>
              ))}
              <div class="week-actions">
                <button
                  type="button"
                  class="button"
                  data-kind="quiet"
                  onClick={() => set(day, [...ranges, NEW_RANGE])}
                >
                  <Icon of={Plus} size={20} />
                  {gm.week.add}
                </button>
                {day === "monday" ? (
                  <button
                    type="button"
                    class="button"
                    data-kind="quiet"
                    onClick={() => onChange(Object.fromEntries(DAYS.map((one) => [one, ranges])))}
                  >
                    <Icon of={Copy} size={20} />
                    {gm.week.copy}
                  </button>
                ) : null}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
};
