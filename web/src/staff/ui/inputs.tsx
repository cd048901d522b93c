/** Form fields of the game masters' pages, in addition to the text field. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { fieldError } from "../../state/errors.ts";
import { gm } from "../../text/staff.ts";
import { Field, FieldNote, FormErrors } from "../../ui/field.tsx";
import "./inputs.css";

interface BaseProps {
  label: string;
  name: string;
  hint?: string | undefined;
  /** An error that the page finds itself. */
  error?: string | undefined;
}

interface BoxProps extends BaseProps {
  children: (ids: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean;
  }) => ComponentChildren;
}

export const FieldBox = ({ label, name, hint, error: ownError, children }: BoxProps) => {
  const id = useId();
  const requestError = fieldError(useContext(FormErrors), name);
  const error = ownError ?? requestError;
  const described = hint === undefined && error === undefined ? undefined : `${id}-note`;
  return (
    <div class="field" data-invalid={error !== undefined}>
      <label for={id}>{label}</label>
      <div class="field-box">
        {children({ id, "aria-describedby": described, "aria-invalid": error !== undefined })}
      </div>
      <FieldNote id={id} hint={hint} error={error} />
    </div>
  );
};

export interface InputProps<T> extends BaseProps {
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

type NumberProps = InputProps<number | null> & { min: number; max: number };

/**
 * A whole number from `min` to `max`, or `null` for another text, with which the form cannot be sent unless it is empty.
 * @param props.isNeeded whether it cannot be empty: then `null` does not change the value
 */
export const NumberField = ({
  value,
  onChange,
  min,
  max,
  isNeeded = false,
  ...common
}: NumberProps & { isNeeded?: boolean }) => {
  /** What was typed, and the value that the form has since then. */
  const [typed, setTyped] = useState<{ text: string; value: number | null; isWrong: boolean } | null>(null);
  const [isFocused, setFocused] = useState(false);
  // While somebody types, a value that has been read again does not replace the text.
  const isTyped = typed !== null && (isFocused || typed.value === value);
  const isWrong = isTyped && typed.isWrong && !isFocused;
  return (
    <FieldBox {...common} error={isWrong ? gm.common.wholeNumber(min, max) : undefined}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          inputmode="numeric"
          name={common.name}
          min={min}
          max={max}
          required={isNeeded}
          value={isTyped ? typed.text : (value ?? "")}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          onInput={({ currentTarget: { value: text, valueAsNumber: number, validity } }) => {
            const next = Number.isInteger(number) && number >= min && number <= max ? number : null;
            const isEmpty = text === "" && !validity.badInput;
            setTyped({
              text,
              value: next === null && isNeeded ? value : next,
              isWrong: next === null && (isNeeded || !isEmpty),
            });
            onChange(next);
          }}
        />
      )}
    </FieldBox>
  );
};

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

type ReasonProps = Pick<InputProps<string>, "value" | "onChange"> & { required: boolean; isShown: boolean };

/** The reason for a command. @param props.isShown whether the players whom the command concerns see it */
export const Reason = ({ required, isShown, ...bind }: ReasonProps) => (
  <Field
    label={required ? gm.common.why : gm.common.reason}
    name="reason"
    hint={isShown ? gm.common.reasonShown : gm.common.reasonHint}
    required={required}
    {...bind}
  />
);
