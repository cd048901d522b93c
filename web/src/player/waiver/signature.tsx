/** The waiver with the fields of a signature, in the form around it. */
import { useContext, useEffect, useId, useState } from "preact/hooks";
import type { PublicWaiver, SignatureBody } from "../../schemas.ts";
import { GameError } from "../../state/api.ts";
import { fieldError } from "../../state/errors.ts";
import { waiver as texts } from "../../text/waiver.ts";
import { Field, FieldNote, FormErrors } from "../../ui/field.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import "./waiver.css";

/** What somebody types who signs. Birth date and contact are kept in no draft. */
export interface Typed {
  fullName: string;
  photos: string;
  isAgreed: boolean;
  birthDate: string;
  contact: string;
}

export const NOTHING_TYPED: Typed = { fullName: "", photos: "", isAgreed: false, birthDate: "", contact: "" };

/** @throws GameError with each answer that is missing @param prefix that of the names of the fields */
export const requireAnswers = (
  { isAgreed, fullName, birthDate, contact, photos }: Typed,
  { waiver_ask: asked }: PublicWaiver,
  prefix = "",
): void => {
  const asks = (name: (typeof asked)[number], answer: string) => asked.includes(name) && answer.trim() === "";
  const missing: (readonly [name: string, isMissing: boolean, text: string])[] = [
    ["agree", !isAgreed, texts.required],
    ["full_name", fullName.trim() === "", texts.fillIn],
    ["birth_date", asks("birth_date", birthDate), texts.fillIn],
    ["emergency_contact", asks("emergency_contact", contact), texts.fillIn],
    ["photo_consent", asks("photo_consent", photos), texts.choose],
  ];
  const code = "invalid_request";
  const errors = missing
    .filter(([, isMissing]) => isMissing)
    .map(([name, , message]) => ({ path: `${prefix}${name}`, code, message }));
  if (errors.length > 0) throw new GameError("Answers are missing.", { code, status: 400, errors });
};

/** What was typed, as a request has it. */
export const signatureOf = (
  { fullName, photos, birthDate, contact }: Typed,
  { version, waiver_ask: asked }: PublicWaiver,
): SignatureBody => ({
  version,
  full_name: fullName,
  ...(asked.includes("birth_date") ? { birth_date: birthDate } : {}),
  ...(asked.includes("emergency_contact") ? { emergency_contact: contact } : {}),
  ...(asked.includes("photo_consent") ? { photo_consent: photos === "yes" } : {}),
});

interface DateProps {
  label: string;
  name: string;
  hint: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** The input of a date, as `YYYY-MM-DD`. */
export const DateField = ({ label, name, hint, value, onChange }: DateProps) => {
  const id = useId();
  const error = fieldError(useContext(FormErrors), name);
  return (
    <div class="field" data-invalid={error !== undefined}>
      <label for={id}>{label}</label>
      <div class="field-box">
        <input
          id={id}
          type="date"
          name={name}
          autocomplete="bday"
          value={value}
          aria-invalid={error !== undefined}
          aria-describedby={hint === undefined && error === undefined ? undefined : `${id}-note`}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </div>
      <FieldNote id={id} hint={hint} error={error} />
    </div>
  );
};

interface SignatureProps {
  waiver: PublicWaiver;
  typed: Typed;
  set: (part: Partial<Typed>) => void;
  /** In front of the names of the fields, as the request has them. */
  prefix?: string;
}

export const Signature = ({ waiver, typed, set, prefix = "" }: SignatureProps) => {
  const { text, waiver_ask: asked, minimum_age: age, version } = waiver;
  const [first, setFirst] = useState(version);
  const isChanged = first !== version;
  useEffect(() => {
    // Nobody has agreed to a text that they have not seen.
    if (isChanged) set({ isAgreed: false });
  }, [version]);
  const agree = useId();
  const formError = useContext(FormErrors);
  const tickError = typed.isAgreed ? undefined : fieldError(formError, `${prefix}agree`);
  const photosError = typed.photos === "" ? fieldError(formError, `${prefix}photo_consent`) : undefined;
  return (
    <div class="stack">
      <h2>{texts.title}</h2>
      {isChanged ? <p role="alert">{texts.changed}</p> : null}
      <div class="waiver-text">
        <Markdown text={text} />
      </div>
      <label class="waiver-check" data-invalid={tickError !== undefined}>
        <input
          type="checkbox"
          name={`${prefix}agree`}
          checked={typed.isAgreed}
          aria-invalid={tickError !== undefined}
          aria-describedby={tickError === undefined ? undefined : `${agree}-note`}
          onChange={({ currentTarget: { checked } }) => {
            set({ isAgreed: checked });
            if (checked) setFirst(version);
          }}
        />
        <span>{texts.agree}</span>
      </label>
      <FieldNote id={agree} error={tickError} />
      <Field
        label={texts.fullName}
        hint={texts.fullNameHint}
        name={`${prefix}full_name`}
        autoComplete="name"
        value={typed.fullName}
        onChange={(fullName) => set({ fullName })}
      />
      {asked.includes("birth_date") ? (
        <DateField
          label={texts.birthDate}
          hint={texts.birthDateHint(age)}
          name={`${prefix}birth_date`}
          value={typed.birthDate}
          onChange={(birthDate) => set({ birthDate })}
        />
      ) : null}
      {asked.includes("emergency_contact") ? (
        <Field
          label={texts.contact}
          hint={texts.contactHint}
          name={`${prefix}emergency_contact`}
          value={typed.contact}
          onChange={(contact) => set({ contact })}
        />
      ) : null}
      {asked.includes("photo_consent") ? (
        <fieldset class="waiver-choice" data-invalid={photosError !== undefined}>
          <legend>{texts.photos}</legend>
          {(["yes", "no"] as const).map((one) => (
            <label key={one} class="waiver-check">
              <input
                type="radio"
                name={`${prefix}photo_consent`}
                checked={typed.photos === one}
                aria-invalid={photosError !== undefined}
                aria-describedby={photosError === undefined ? undefined : `${agree}-photos-note`}
                onChange={() => set({ photos: one })}
              />
              <span>{one === "yes" ? texts.photosYes : texts.photosNo}</span>
            </label>
          ))}
          <FieldNote id={`${agree}-photos`} error={photosError} />
        </fieldset>
      ) : null}
      <p class="muted">{texts.kept(waiver.keep_signatures_days)}</p>
    </div>
  );
};
