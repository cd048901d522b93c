/** The next season: who plays in it, and the terminal commands that archive and reset the game. */
import { Copy } from "lucide";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import type { Settings } from "../../calls.ts";
import { Select } from "../../ui/inputs.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { Section } from "../settings/settingsForm.tsx";

/** A terminal command with a copy button. */
const Command = ({ text }: { text: string }) => (
  <div class="command">
    <code>{text}</code>
    <Button
      text={gm.season.copy(text)}
      icon={Copy}
      isIcon
      kind="quiet"
      onClick={() =>
        void navigator.clipboard
          .writeText(text)
          .then(() => gm.season.copied)
          // The browser may forbid it.
          .catch(() => gm.season.notCopied)
          .then((done) => showToast(done))
      }
    />
  </div>
);

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
          {command === undefined ? null : <Command text={command} />}
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
