/** The next season: who plays in it, the results to keep, and the terminal commands that archive and reset the game. */
import { Download } from "lucide";
import { api } from "../../../state/api.ts";
import { readUntil, useSubmit } from "../../../state/resource.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { readAwards } from "../../../ui/awards.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { saveBlob } from "../../../ui/saveFile.ts";
import type { Settings } from "../../calls.ts";
import { CopiedText } from "../../ui/copiedText.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Section } from "../settings/settingsForm.tsx";

/** Everything that was played, without secrets: the awards, and all events as game masters see them. */
const readResults = async () => {
  const { items: interactions } = await readUntil(
    async (cursor) => {
      const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
      const page = await api.get("/interactions/{url_id}", { query });
      return { items: page.interactions, next: page.next_cursor };
    },
    undefined,
    Number.POSITIVE_INFINITY,
  );
  return { game: snapshot.value?.game, awards: await readAwards(), interactions };
};

const Results = () => {
  const form = useSubmit(async () => {
    const text = JSON.stringify(await readResults(), null, 2);
    saveBlob("results.json", new Blob([text], { type: "application/json" }));
  });
  return (
    <>
      <Button
        text={gm.season.save}
        icon={Download}
        disabled={form.isSending}
        onClick={() => void form.submit()}
      />
      <ErrorNote error={form.error} />
    </>
  );
};

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
      {gm.season.steps.map(([text, command], at) => (
        <li key={text}>
          {text}
          {at === 0 ? <Results /> : null}
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
