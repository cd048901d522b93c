/** Who may join, until when, and with which codes. */
import { Plus, Printer, Trash2 } from "lucide";
import { paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import type { Settings } from "../../calls.ts";
import { Checkbox, NumberField, Select } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { Section } from "../settings/settingsForm.tsx";

const MAX_CODES = 50;

export const Registration = ({ settings }: { settings: Settings }) => (
  <Section
    id="registration"
    title={gm.game.registration}
    settings={settings}
    tidy={(part) =>
      part.join_codes
        ? { ...part, join_codes: part.join_codes.filter(({ code }) => code.trim() !== "") }
        : part
    }
  >
    {({ draft, set, bind }) => {
      type Code = Settings["join_codes"][number];
      const change = (at: number, code: Partial<Code>): void =>
        set({ join_codes: draft.join_codes.map((one, index) => (index === at ? { ...one, ...code } : one)) });
      return (
        <>
          <div class="pair">
            <Select label={gm.game.who} options={gm.game.registrations} {...bind("registration")} />
            <TimeField label={gm.game.closes} zone={draft.time_zone} {...bind("registration_closes_at")} />
          </div>
          <Checkbox label={gm.game.unique} {...bind("unique_email")} />
          <h3>{gm.game.codes}</h3>
          {draft.join_codes.length === 0 ? <p class="muted">{gm.game.noCodes}</p> : null}
          {draft.join_codes.map((one, at) => (
            <div key={at} class="code-row">
              <Field
                label={gm.game.code}
                name={`code-${at}`}
                value={one.code}
                onChange={(code) => change(at, { code })}
                hint={one.uses_left === null ? gm.game.anyNumber : gm.game.usesLeft(one.uses_left)}
              />
              <NumberField
                label={gm.game.uses}
                hint={gm.game.usesHint}
                name={`uses-${at}`}
                min={1}
                max={100_000}
                value={one.uses}
                onChange={(uses) => change(at, { uses })}
              />
              <Button
                text={gm.game.removeCode(one.code)}
                icon={Trash2}
                isIcon
                kind="quiet"
                onClick={() => set({ join_codes: draft.join_codes.filter((_, index) => index !== at) })}
              />
            </div>
          ))}
          <div class="actions">
            <Button
              text={gm.game.addCode}
              icon={Plus}
              disabled={draft.join_codes.length >= MAX_CODES}
              onClick={() =>
                set({
                  join_codes: [...draft.join_codes, { code: "", uses: null, uses_left: null, ends_at: null }],
                })
              }
            />
            <ButtonLink text={gm.game.posters} icon={Printer} href={paths.gm.print} />
          </div>
        </>
      );
    }}
  </Section>
);
