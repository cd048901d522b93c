/** The inputs of the settings whose table says how they are shown. */
import { type SettingInput, settingTexts } from "../../../text/settingTexts.ts";
import { Field } from "../../../ui/field.tsx";
import type { Settings } from "../../calls.ts";
import { Checkbox, TextArea } from "../../ui/inputs.tsx";

interface InputProps {
  name: string;
  label: string;
  input: SettingInput;
  value: unknown;
  onChange: (value: unknown) => void;
}

const Input = ({ name, label, input, value, onChange }: InputProps) => {
  if (input.kind === "flag")
    return <Checkbox label={label} name={name} value={value === true} onChange={onChange} />;
  const { rows, hint, required = false } = input;
  const text = typeof value === "string" ? value : "";
  const change = (typed: string): void => onChange(typed.trim() === "" && !required ? null : typed);
  const common = { label, name, value: text, onChange: change, ...(hint === undefined ? {} : { hint }) };
  return rows === 1 ? <Field {...common} required={required} /> : <TextArea {...common} rows={rows} />;
};

interface SettingInputsProps {
  part: SettingInput["part"];
  draft: Settings;
  set: (part: Partial<Settings>) => void;
}

export const SettingInputs = ({ part, draft, set }: SettingInputsProps) => (
  <>
    {Object.entries(settingTexts()).map(([name, { label, input }]) =>
      input?.part === part ? (
        <Input
          key={name}
          {...{ name, label, input }}
          value={Reflect.get(draft, name)}
          onChange={(value) => set(Object.fromEntries([[name, value]]))}
        />
      ) : null,
    )}
  </>
);
