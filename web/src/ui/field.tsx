/** A labelled text field with a hint or a validation error. */
import { useId, useState } from "preact/hooks";
import { fieldError } from "../api.ts";
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

export const Field = ({
  label,
  name,
  value,
  onChange,
  hint,
  formError,
  error = fieldError(formError, name),
  isSecret = false,
  autoComplete = "off",
  required = true,
}: FieldProps) => {
  const id = useId();
  const [isShown, setShown] = useState(false);
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
    </div>
  );
};
