/** A slider for when a tag happened, within the report window. */
import { useContext, useId } from "preact/hooks";
import { fieldError } from "../state/errors.ts";
import { en } from "../text/en.ts";
import { FieldNote, FormErrors } from "./field.tsx";

const STEP_MINUTES = 5;

interface WhenProps {
  /** The field of the request, whose error is shown. */
  name: string;
  minutesAgo: number;
  /** The tag was at least so many minutes ago. */
  from?: number;
  /** The length of the report window, in seconds. */
  window: number;
  onChange: (minutesAgo: number) => void;
}

export const When = ({ name, minutesAgo, from = 0, window, onChange }: WhenProps) => {
  const id = useId();
  const error = fieldError(useContext(FormErrors), name);
  const text = minutesAgo === 0 ? en.tag.now : en.tag.ago(minutesAgo);
  return (
    <div class="stack when" data-invalid={error !== undefined}>
      <span>
        {/* Not around the output, which would then be what is labelled. */}
        <label class="label" for={id}>
          {en.tag.when}
        </label>{" "}
        <output class="muted" for={id}>
          {text}
        </output>
      </span>
      <input
        id={id}
        name={name}
        type="range"
        min={from}
        max={Math.floor(window / 60)}
        step={STEP_MINUTES}
        value={minutesAgo}
        aria-valuetext={text}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-note`}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      <FieldNote id={id} error={error} />
    </div>
  );
};

/** Returns the time `minutesAgo` before `at` (milliseconds since 1970) as RFC 3339. */
export const timeAgo = (at: number, minutesAgo: number): string =>
  new Date(at - minutesAgo * 60_000).toISOString();
