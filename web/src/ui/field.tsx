/** A labelled text field with a hint or a validation error. */
import { useId, useState } from "preact/hooks";
import { fieldError, fieldSuggestion } from "../api.ts";
import { en } from "../en.ts";
import "./field.css";

interface FieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  error?: string | undefined;
  /** The error of the form's request. Its message for this field is shown. */
  formError?: unknown;
  /** Makes it a password field with a button that shows the text. */
  isSecret?: boolean;
  autoComplete?: string;
  required?: boolean;
}

interface UseInsteadProps {
  suggestion: string | undefined;
  onUse: (suggestion: string) => void;
}

/** A button that takes the value that the service proposes; nothing without one. */
export const UseInstead = ({ suggestion, onUse }: UseInsteadProps) =>
  suggestion === undefined ? null : (
    <button type="button" class="button" onClick={() => onUse(suggestion)}>
      <bdi>{en.common.useInstead(suggestion)}</bdi>
    </button>
  );

export const Field = ({
  label,
  name,
  value,
  onChange,
  hint,
  formError,
  error: givenError,
  isSecret = false,
  autoComplete = "off",
  required = true,
}: FieldProps) => {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const suggestion = fieldSuggestion(formError, name);
  const isTaken = value === suggestion;
  const error = givenError ?? (isTaken ? undefined : fieldError(formError, name));
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
      {hint === undefined && error === undefined ? null : (
        <p id={`${id}-note`} class="field-note">
          {error ?? hint}
        </p>
      )}
      <UseInstead suggestion={isTaken ? undefined : suggestion} onUse={onChange} />
    </div>
  );
};
