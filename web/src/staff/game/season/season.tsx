/** The next season: who plays in it, what to keep of the old one, and the command that begins it. */
import { useSignal } from "@preact/signals";
import { Archive, Download, Pause } from "lucide";
import type { ComponentChildren } from "preact";
import { api } from "../../../state/api.ts";
import { readUntil, useSubmit } from "../../../state/resource.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { readAwards } from "../../../ui/awards.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { saveBlob } from "../../../ui/saveFile.ts";
import type { Settings } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { CopiedText } from "../../ui/copiedText.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { pauseConfirmation } from "../game/clock.tsx";
import { Section } from "../settings/settingsForm.tsx";
import { readArchive } from "./archive.ts";
import { End } from "./finish.tsx";
import { Begin, readReset, UnderWay, useSeasonNews } from "./newSeason.tsx";

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

interface Keeping {
  /** How many items the saved archive has. */
  saved: number | null;
  onSaved: (items: number) => void;
}

const Keep = ({ saved, onSaved }: Keeping) => {
  const read = useSignal(0);
  const form = useSubmit(async () => {
    const { count, file } = await readArchive((items) => {
      read.value = items;
    });
    saveBlob("season.ndjson", file);
    onSaved(count);
  });
  return (
    <>
      <div class="actions">
        <Button
          text={gm.season.archive}
          icon={Archive}
          disabled={form.isSending}
          onClick={() => void form.submit()}
        />
        <Results />
      </div>
      <p role="status">
        {form.isSending ? gm.season.read(read.value) : saved === null ? null : gm.season.kept(saved)}
      </p>
      <ErrorNote error={form.error} />
      <p class="field-note">{gm.season.missing}</p>
      <CopiedText text={gm.season.missingCommand} />
    </>
  );
};

const Step = ({ text, children }: { text: string; children?: ComponentChildren }) => (
  <li>
    <div class="stack">
      <p>{text}</p>
      {children}
    </div>
  </li>
);

interface StepsProps {
  settings: Settings;
  /** Whether there is a result that players do not know yet. */
  isSecret: boolean;
}

const Steps = ({ settings: { name, phase }, isSecret }: StepsProps) => {
  const saved = useSignal<number | null>(null);
  const isOver = phase === "paused" || phase === "ended";
  return (
    <ol class="steps stack">
      <Step text={isOver ? gm.season.stopped : gm.season.stop}>
        {isOver ? null : (
          <div class="actions">
            <CommandButton action="pause_game" icon={Pause} confirmation={pauseConfirmation} />
          </div>
        )}
      </Step>
      <Step text={gm.season.keep}>
        <Keep
          saved={saved.value}
          onSaved={(items) => {
            saved.value = items;
          }}
        />
      </Step>
      <Step text={isSecret ? gm.season.tooEarly : gm.season.begin}>
        <div class="actions">
          <Begin name={name} isKept={saved.value !== null} disabled={!isOver || isSecret} />
        </div>
      </Step>
    </ol>
  );
};

const Reset = ({ settings }: { settings: Settings }) => {
  const polled = usePolled(readReset);
  const { value, reload } = polled;
  useSeasonNews(value?.reset != null);
  if (value === null) return <Loading of={polled} />;
  const { reset, finish, finishes } = value;
  if (reset !== null) return <UnderWay reset={reset} reload={reload} />;
  return (
    <>
      <End {...{ finish, finishes }} isStarted={settings.phase !== "registration"} />
      <div class="stack divided">
        <h3>{gm.season.reset}</h3>
        <p class="muted">{gm.season.where}</p>
        <div class="pair">
          {gm.season.lists(settings.enrolment).map(([title, items]) => (
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
        <Steps settings={settings} isSecret={finish?.is_final === false} />
      </div>
    </>
  );
};

export const Season = ({ settings }: { settings: Settings }) => (
  <Section id="season" title={gm.season.title} settings={settings} below={<Reset settings={settings} />}>
    {({ bind }) => (
      <Select label={gm.season.enrolment} options={gm.season.enrolments} {...bind("enrolment")} />
    )}
  </Section>
);
