/** Form fields of the game masters' pages, in addition to the text field. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Field } from "../ui/field.tsx";
import { gm } from "./texts.ts";
import { fromZoned, toZoned } from "./zoned.ts";
import "./inputs.css";

interface BaseProps {
  label: string;
  name: string;
  hint?: string | undefined;
}

interface BoxProps extends BaseProps {
  children: (ids: { id: string; "aria-describedby": string | undefined }) => ComponentChildren;
}

const FieldBox = ({ label, hint, children }: BoxProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-box">
        {children({ id, "aria-describedby": hint === undefined ? undefined : `${id}-note` })}
      </div>
      {hint === undefined ? null : (
        <p id={`${id}-note`} class="field-note">
          {hint}
        </p>
      )}
    </div>
  );
};

interface InputProps<T> extends BaseProps {
  value: T;
  onChange: (value: T) => void;
}

/** Returns props that bind a field to a signal. */
export const bindSignal = <T,>(signal: Signal<T>): Pick<InputProps<T>, "value" | "onChange"> => ({
  value: signal.value,
  onChange: (value) => {
    signal.value = value;
  },
});

export const TextArea = ({
  value,
  onChange,
  rows = 3,
  ...common
}: InputProps<string> & { rows?: number }) => (
  <FieldBox {...common}>
    {(ids) => (
      <textarea
        {...ids}
        name={common.name}
        rows={rows}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </FieldBox>
);

interface SelectProps<T extends string> extends InputProps<T> {
  options: readonly (readonly [value: T, text: string])[];
}

export const Select = <T extends string>({ value, onChange, options, ...common }: SelectProps<T>) => (
  <FieldBox {...common}>
    {(ids) => (
      <select
        {...ids}
        name={common.name}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </FieldBox>
);

/** A date and time, as RFC 3339 or `null`, entered in the game's time zone. */
export const TimeField = ({
  value,
  onChange,
  zone,
  ...common
}: InputProps<string | null> & { zone: string }) => (
  <FieldBox {...common} hint={common.hint ?? gm.common.inZone(zone)}>
    {(ids) => (
      <input
        {...ids}
        type="datetime-local"
        name={common.name}
        // Browsers otherwise take years of six digits, which RFC 3339 has not.
        max="9999-12-31T23:59"
        value={value === null ? "" : toZoned(value, zone)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? null : fromZoned(currentTarget.value, zone))
        }
      />
    )}
  </FieldBox>
);

/** A whole number, or `null` if the field is empty. */
export const NumberField = ({
  value,
  onChange,
  min,
  max,
  ...common
}: InputProps<number | null> & { min: number; max: number }) => (
  <FieldBox {...common}>
    {(ids) => (
      <input
        {...ids}
        type="number"
        inputmode="numeric"
        name={common.name}
        min={min}
        max={max}
        value={value ?? ""}
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? null : Math.round(currentTarget.valueAsNumber))
        }
      />
    )}
  </FieldBox>
);

export const Checkbox = ({ label, name, hint, value, onChange }: InputProps<boolean>) => (
  <label class="check">
    <input
      type="checkbox"
      name={name}
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {hint === undefined ? null : <span class="field-note">{hint}</span>}
    </span>
  </label>
);

/** The reason for a command, which is stored in the audit log and shown to the affected player. */
export const Reason = ({
  required,
  ...bind
}: Pick<InputProps<string>, "value" | "onChange"> & { required: boolean }) => (
  <Field
    label={required ? gm.common.why : gm.common.reason}
    name="reason"
    hint={gm.common.reasonHint}
    required={required}
    {...bind}
  />
);
