/** The next season: who plays in it, and the terminal commands that archive and reset the game. */
import { gm } from "../../../text/staff.ts";
import type { Settings } from "../../calls.ts";
import { CopiedText } from "../../ui/copiedText.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Section } from "../settings/settingsForm.tsx";

const Reset = ({ enrolment }: Pick<Settings, "enrolment">) => (
  <div class="stack divided">
    <h3>{gm.season.reset}</h3>
    <p class="muted">{gm.season.where}</p>
    <div class="pair">
      {gm.season.lists(enrolment).map(([title, items]) => (
        <div key={title}>
          <h4>{title}</h4>
          <ul class="bullets">
            {items.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
    <ol class="steps stack">
      {gm.season.steps.map(([text, command]) => (
        <li key={text}>
          {text}
          {command === undefined ? null : <CopiedText text={command} />}
        </li>
      ))}
    </ol>
    <p class="field-note">{gm.season.secret}</p>
  </div>
);

export const Season = ({ settings }: { settings: Settings }) => (
  <Section
    id="season"
    title={gm.season.title}
    settings={settings}
    below={<Reset enrolment={settings.enrolment} />}
  >
    {({ bind }) => (
      <Select label={gm.season.enrolment} options={gm.season.enrolments} {...bind("enrolment")} />
    )}
  </Section>
);
