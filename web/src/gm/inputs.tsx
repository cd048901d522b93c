/** Fields of game masters' forms beside the plain text field. */
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

/** The properties of a field that shows and changes a signal. */
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

/** A time as RFC 3339, or `null`; it is entered in the zone of the game. */
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
        value={value === null ? "" : toZoned(value, zone)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? null : fromZoned(currentTarget.value, zone))
        }
      />
    )}
  </FieldBox>
);

/** A whole number; what is not one is `null`. */
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

/** Why a game master does something: for the log, and for the player concerned. */
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
