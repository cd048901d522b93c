/** A labelled text field with a hint or a validation error. */
import { createContext } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { fieldError, fieldSuggestion } from "../state/errors.ts";
import { en } from "../text/en.ts";
import { Button } from "./button.tsx";
import "./field.css";

/** The error of the request of the form around a field, whose message for this field is shown. */
export const FormErrors = createContext<unknown>(null);

interface NoteProps {
  id: string;
  hint?: string | undefined;
  error?: string | undefined;
}

/** The hint or the error of a field. An error is read out when it appears. */
export const FieldNote = ({ id, hint, error }: NoteProps) =>
  hint === undefined && error === undefined ? null : (
    <p id={`${id}-note`} class="field-note">
      {error === undefined ? hint : <span role="alert">{error}</span>}
    </p>
  );

interface FieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  /** An error that the page finds itself. */
  error?: string | undefined;
  /** Makes it a password field with a button that shows the text. */
  isSecret?: boolean;
  autoComplete?: string;
  required?: boolean;
}

/** Returns the props that bind an input to a field of a draft, by the field's name. */
export const bindFields =
  <D extends object>(draft: D, set: (part: Partial<D>) => void) =>
  <K extends keyof D & string>(name: K) => ({
    name,
    value: draft[name],
    onChange: (value: D[K]): void => {
      const part: Partial<D> = {};
      part[name] = value;
      set(part);
    },
  });

interface UseInsteadProps {
  suggestion: string | undefined;
  onUse: (suggestion: string) => void;
}

/** A button that takes the value that the service proposes; nothing without one. */
export const UseInstead = ({ suggestion, onUse }: UseInsteadProps) =>
  suggestion === undefined ? null : (
    <Button text={en.common.useInstead(suggestion)} onClick={() => onUse(suggestion)} />
  );

export const Field = ({
  label,
  name,
  value,
  onChange,
  hint,
  error: ownError,
  isSecret = false,
  autoComplete = "off",
  required = true,
}: FieldProps) => {
  const id = useId();
  const formError = useContext(FormErrors);
  const [isShown, setShown] = useState(false);
  const suggestion = fieldSuggestion(formError, name);
  const isTaken = value === suggestion;
  const error = ownError ?? (isTaken ? undefined : fieldError(formError, name));
  return (
    <div class="field" data-invalid={error !== undefined}>
      <label for={id}>{label}</label>
      <div class="field-box">
        <input
          {...(isSecret && !isShown ? { type: "password" } : { type: "text" })}
          id={id}
          name={name}
          value={value}
          required={required}
          autocomplete={autoComplete}
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={hint === undefined && error === undefined ? undefined : `${id}-note`}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        {isSecret ? (
          <button type="button" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
            {isShown ? en.common.hide : en.common.show}
          </button>
        ) : null}
      </div>
      <FieldNote id={id} hint={hint} error={error} />
      <UseInstead suggestion={isTaken ? undefined : suggestion} onUse={onChange} />
    </div>
  );
};
