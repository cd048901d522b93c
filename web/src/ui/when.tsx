/** A slider for when a tag happened, within the report window. */
import { en } from "../en.ts";

const STEP_MINUTES = 5;

interface WhenProps {
  minutesAgo: number;
  /** The length of the report window, in seconds. */
  window: number;
  onChange: (minutesAgo: number) => void;
}

export const When = ({ minutesAgo, window, onChange }: WhenProps) => {
  const text = minutesAgo === 0 ? en.tag.now : en.tag.ago(minutesAgo);
  return (
    <label class="stack when">
      <span class="label">
        {en.tag.when} <output class="muted">{text}</output>
      </span>
      <input
        type="range"
        min="0"
        max={Math.floor(window / 60)}
        step={STEP_MINUTES}
        value={minutesAgo}
        aria-valuetext={text}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
};

/** Returns the time `minutesAgo` before `at` (milliseconds since 1970) as RFC 3339. */
export const timeAgo = (at: number, minutesAgo: number): string =>
  new Date(at - minutesAgo * 60_000).toISOString();
