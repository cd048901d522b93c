/** When something was: a slider that goes back as far as it may be reported. */
import { en } from "../en.ts";

const STEP_MINUTES = 5;

interface WhenProps {
  minutesAgo: number;
  /** How far back it goes, in seconds. */
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

/** The time that the slider shows, for a request. */
export const timeAgo = (at: number, minutesAgo: number): string =>
  new Date(at - minutesAgo * 60_000).toISOString();
