/** A date and time in the game's time zone, which asks about times that clock changes skip or show twice. */
import { useEffect, useRef, useState } from "preact/hooks";
import { gm } from "../../text/staff.ts";
import { readLocal, seasonText, toZoned, zonedText } from "../../text/zoned.ts";
import { Button } from "../../ui/button.tsx";
import { FieldBox, type InputProps } from "./inputs.tsx";

type TimeFieldProps = InputProps<string | null> & { zone: string };

/** What was typed, and for which value and zone it stands. */
interface Typed {
  text: string;
  value: string | null;
  zone: string;
  /** Whether it is no time yet: half typed, or one of two. */
  isPending: boolean;
}

/** A date and time, as RFC 3339 or `null`. A time that is half typed, or not unique yet, changes nothing. */
export const TimeField = ({ value, onChange, zone, ...common }: TimeFieldProps) => {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<Typed | null>(null);
  const [isFocused, setFocused] = useState(false);
  // While somebody types, a value that has been read again does not replace the text.
  const isTyped =
    typed !== null && typed.zone === zone && (isFocused || typed.isPending || typed.value === value);
  const text = isTyped ? typed.text : value === null ? "" : toZoned(value, zone);
  const local = readLocal(text, zone);
  const isSkipped = local?.times.length === 0;
  const isTwice = local?.times.length === 2;
  const question = isSkipped
    ? gm.time.skipped(text)
    : isTwice && !local.times.includes(value ?? "")
      ? gm.time.choose
      : "";
  // Keeps the form from being sent.
  useEffect(() => input.current?.setCustomValidity(question), [question]);
  const set = (next: string, to: string | null): void => {
    setTyped({ text: next, value: to, zone, isPending: false });
    if (to !== value) onChange(to);
  };
  const read = ({ value: next, validity }: HTMLInputElement): void => {
    const found = readLocal(next, zone);
    const [only] = found?.times.length === 1 ? found.times : [];
    if (only !== undefined) set(next, only);
    // An empty value is also that of a date that is half typed.
    else if (next === "" && !validity.badInput) set(next, null);
    else setTyped({ text: next, value, zone, isPending: true });
  };
  const choose = (time: string): void => set(toZoned(time, zone), time);
  return (
    <div>
      <FieldBox {...common} hint={common.hint ?? gm.common.inZone(zone)}>
        {(ids) => (
          <input
            {...ids}
            ref={input}
            type="datetime-local"
            name={common.name}
            min="1970-01-01T00:00"
            // Browsers otherwise take years of six digits, which RFC 3339 has not.
            max="9999-12-31T23:59"
            value={text}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onInput={({ currentTarget }) => read(currentTarget)}
          />
        )}
      </FieldBox>
      {isSkipped ? (
        <div class="time-question" role="alert">
          <p>{gm.time.skipped(text)}</p>
          <div class="actions">
            {local.instead.map((time) => (
              <Button key={time} text={zonedText(time, zone)} onClick={() => choose(time)} />
            ))}
          </div>
        </div>
      ) : null}
      {isTwice ? (
        <fieldset class="time-question">
          <legend>{gm.time.twice(text)}</legend>
          {local.times.map((time, at) => (
            <label key={time} class="check">
              <input
                type="radio"
                name={`${common.name}-which`}
                checked={value === time}
                onChange={() => choose(time)}
              />
              <span>
                {gm.time.which[at]}
                <span class="field-note">{seasonText(time, zone)}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
    </div>
  );
};
