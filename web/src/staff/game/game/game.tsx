/** The game page: the clock, all settings, awards and the season. */
import { CalendarPlus, Pause, Play, Plus, Printer, Trash2 } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { now, snapshot } from "../../../state/session.ts";
import { situationText, situationTitle } from "../../../text/situation.ts";
import { gm } from "../../../text/staff.ts";
import { defaultHours, joinNights, splitNights } from "../../../text/week.ts";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { command, read, type Settings } from "../../calls.ts";
import { Bans } from "../../people/bans/bans.tsx";
import { usePolled } from "../../polled.ts";
import { useRoster } from "../../roster.ts";
import { type Confirmation, ConfirmButton, PreviewButton } from "../../ui/confirmation.tsx";
import { Checkbox, NumberField, Select } from "../../ui/inputs.tsx";
import { drawEffects } from "../../ui/previews.ts";
import { TimeField } from "../../ui/timeField.tsx";
import { ZonePicker } from "../../ui/zonePicker.tsx";
import { AwardsCard } from "../awards/awards.tsx";
import { Season } from "../season/season.tsx";
import { SettingInputs } from "../settings/settingInputs.tsx";
import { changeSettings, newestOf, readSettings } from "../settings/settings.ts";
import { Section } from "../settings/settingsForm.tsx";
import { Webhooks } from "../webhooks/webhooks.tsx";
import { WeekEditor } from "../week/weekEditor.tsx";

const PAUSE: Confirmation = {
  path: "/admin/pause_game/{url_id}",
  title: gm.game.pause,
  effects: gm.game.pauseEffects,
  submit: gm.game.pause,
  run: async (reason, key) => {
    await command("/admin/pause_game/{url_id}", reason, key);
    return { text: gm.game.paused };
  },
};

/** Returns how long the game has been paused, in seconds. */
const pausedFor = (): number => {
  const since = snapshot.value?.game.paused_since ?? null;
  return since === null ? 0 : Math.max(0, (now.value ?? Date.now()) - Date.parse(since)) / 1_000;
};

const resumeConfirmation = (): Confirmation => ({
  path: "/admin/resume_game/{url_id}",
  title: gm.game.resume,
  effects: gm.game.resumeEffects(pausedFor()),
  submit: gm.game.resume,
  run: async (reason, key) => {
    await command("/admin/resume_game/{url_id}", reason, key);
    return { text: gm.game.resumed };
  },
});

const ADD_DAY: Confirmation = {
  path: "/admin/zombies_add_day/{url_id}",
  title: gm.game.addDay,
  effects: gm.game.addDayEffects,
  submit: gm.game.addDay,
  run: async (reason, key) => {
    const { zombies, added_seconds } = await command("/admin/zombies_add_day/{url_id}", reason, key);
    return { text: gm.game.dayAdded(zombies, gm.period(added_seconds)) };
  },
};

const endConfirmation = (): Confirmation => ({
  path: "/admin/settings/{url_id}",
  title: gm.game.end,
  effects: gm.game.endEffects,
  submit: gm.game.end,
  isDestructive: true,
  run: async (reason, key) => {
    await changeSettings({ ends_at: "now", ...reason }, key);
    return { text: gm.game.ended };
  },
});

const readGame = () => read("/game/{url_id}");

const Clock = ({ settings: { phase } }: { settings: Settings }) => {
  const game = usePolled(readGame).value ?? snapshot.value?.game ?? null;
  return (
    <section class="card stack">
      {game === null ? (
        <Skeleton rows={1} />
      ) : (
        <>
          <h2>{situationTitle(game)}</h2>
          <p class="muted">{situationText(game, now.value ?? Date.now())}</p>
        </>
      )}
      <div class="actions">
        {phase === "paused" ? (
          <ConfirmButton path="/admin/resume_game/{url_id}" confirmation={resumeConfirmation} kind="primary">
            <Icon of={Play} size={20} />
            {gm.game.resume}
          </ConfirmButton>
        ) : (
          <ConfirmButton path={PAUSE.path} confirmation={PAUSE} disabled={phase === "ended"}>
            <Icon of={Pause} size={20} />
            {gm.game.pause}
          </ConfirmButton>
        )}
        <ConfirmButton path={ADD_DAY.path} confirmation={ADD_DAY} disabled={phase === "ended"}>
          <Icon of={CalendarPlus} size={20} />
          {gm.game.addDay}
        </ConfirmButton>
        <ConfirmButton
          path="/admin/settings/{url_id}"
          confirmation={endConfirmation}
          kind="danger"
          disabled={phase === "ended"}
        >
          {gm.game.end}
        </ConfirmButton>
      </div>
    </section>
  );
};

const Schedule = ({ settings }: { settings: Settings }) => (
  <Section
    id="schedule"
    title={gm.game.schedule}
    settings={settings}
    open={(stored) =>
      stored.play_hours === null ? stored : { ...stored, play_hours: joinNights(stored.play_hours) }
    }
    tidy={(part) => (part.play_hours ? { ...part, play_hours: splitNights(part.play_hours) } : part)}
  >
    {(draft, set) => (
      <>
        <ZonePicker
          label={gm.game.zone}
          name="time_zone"
          value={draft.time_zone}
          onChange={(time_zone) => set({ time_zone })}
        />
        <div class="pair">
          <TimeField
            label={gm.game.starts}
            name="starts_at"
            zone={draft.time_zone}
            value={draft.starts_at}
            onChange={(starts_at) => set({ starts_at })}
          />
          <TimeField
            label={gm.game.ends}
            name="ends_at"
            zone={draft.time_zone}
            value={draft.ends_at}
            onChange={(ends_at) => set({ ends_at })}
          />
        </div>
        <Select
          label={gm.game.hours}
          name="hours"
          value={draft.play_hours === null ? "always" : "hours"}
          options={[
            ["always", gm.game.always],
            ["hours", gm.game.onlyHours],
          ]}
          onChange={(value) => set({ play_hours: value === "always" ? null : defaultHours() })}
        />
        {draft.play_hours === null ? null : (
          <WeekEditor hours={draft.play_hours} onChange={(play_hours) => set({ play_hours })} />
        )}
      </>
    )}
  </Section>
);

const MAX_CODES = 50;

const Registration = ({ settings }: { settings: Settings }) => (
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
    {(draft, set) => {
      type Code = Settings["join_codes"][number];
      const change = (at: number, code: Partial<Code>): void =>
        set({ join_codes: draft.join_codes.map((one, index) => (index === at ? { ...one, ...code } : one)) });
      return (
        <>
          <div class="pair">
            <Select
              label={gm.game.who}
              name="registration"
              value={draft.registration}
              options={gm.game.registrations}
              onChange={(registration) => set({ registration })}
            />
            <TimeField
              label={gm.game.closes}
              name="registration_closes_at"
              zone={draft.time_zone}
              value={draft.registration_closes_at}
              onChange={(registration_closes_at) => set({ registration_closes_at })}
            />
          </div>
          <Checkbox
            label={gm.game.unique}
            name="unique_email"
            value={draft.unique_email}
            onChange={(unique_email) => set({ unique_email })}
          />
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
              <button
                type="button"
                class="button"
                data-kind="quiet"
                aria-label={gm.game.removeCode(one.code)}
                onClick={() => set({ join_codes: draft.join_codes.filter((_, index) => index !== at) })}
              >
                <Icon of={Trash2} size={20} />
              </button>
            </div>
          ))}
          <div class="actions">
            <button
              type="button"
              class="button"
              disabled={draft.join_codes.length >= MAX_CODES}
              onClick={() =>
                set({
                  join_codes: [...draft.join_codes, { code: "", uses: null, uses_left: null, ends_at: null }],
                })
              }
            >
              <Icon of={Plus} size={20} />
              {gm.game.addCode}
            </button>
            <a class="button" href={paths.gm.print}>
              <Icon of={Printer} size={20} />
              {gm.game.posters}
            </a>
          </div>
        </>
      );
    }}
  </Section>
);

/** The number of volunteers listed by name. */
const MAX_NAMES = 20;

const Draw = () => {
  const { players, isLoading } = useRoster();
  const volunteers = players.filter(({ player }) => player.state === "human" && player.wants_original);
  const [n, setN] = useState<number | null>(1);
  const preview = useCallback(async (): Promise<Confirmation> => {
    const { volunteers, drawn, seed } = await command("/admin/draw_originals/{url_id}", {
      n: n ?? 1,
      dry_run: true,
    });
    return {
      path: "/admin/draw_originals/{url_id}",
      title: gm.game.drawTitle(drawn.length, volunteers),
      effects: drawEffects(drawn),
      submit: gm.game.drawThem,
      isDestructive: true,
      run: async (reason, key) => {
        const done = await command("/admin/draw_originals/{url_id}", { n: n ?? 1, seed, ...reason }, key);
        return { text: gm.game.drawDone(done.drawn.map(({ alias }) => alias ?? gm.common.gone)) };
      },
    };
  }, [n]);
  return (
    <div class="stack divided">
      <h3>{gm.game.draw}</h3>
      <p class="muted">{gm.game.drawHint}</p>
      {isLoading ? null : (
        <p>
          {gm.game.volunteers(
            volunteers.slice(0, MAX_NAMES).map(({ player }) => player.alias),
            volunteers.length,
          )}
        </p>
      )}
      <NumberField label={gm.game.howMany} name="n" min={1} max={40} value={n} onChange={setN} />
      <div class="actions">
        <PreviewButton path="/admin/draw_originals/{url_id}" preview={preview} disabled={n === null || n < 1}>
          {gm.game.drawPreview}
        </PreviewButton>
      </div>
    </div>
  );
};

const revealConfirmation = (): Confirmation => ({
  path: "/admin/settings/{url_id}",
  title: gm.game.reveal,
  effects: gm.game.revealEffects,
  submit: gm.game.reveal,
  isDestructive: true,
  run: async (reason, key) => {
    await changeSettings({ reveal_originals_at: "now", ...reason }, key);
    return { text: gm.game.revealed };
  },
});

const Originals = ({ settings }: { settings: Settings }) => {
  const { hide_originals, reveal_originals_at, phase } = settings;
  const isRevealed =
    reveal_originals_at !== null && Date.parse(reveal_originals_at) <= (now.value ?? Date.now());
  return (
    <Section
      id="originals"
      title={gm.game.originals}
      settings={settings}
      below={
        <>
          <Draw />
          {hide_originals && !isRevealed && phase !== "ended" ? (
            <div class="actions divided">
              <ConfirmButton path="/admin/settings/{url_id}" confirmation={revealConfirmation}>
                {gm.game.reveal}
              </ConfirmButton>
            </div>
          ) : null}
        </>
      }
    >
      {(draft, set) => (
        <>
          <Checkbox
            label={gm.game.hide}
            hint={gm.game.hideHint}
            name="hide_originals"
            value={draft.hide_originals}
            onChange={(value) => set({ hide_originals: value })}
          />
          {draft.hide_originals ? (
            <TimeField
              label={gm.game.revealAt}
              name="reveal_originals_at"
              zone={draft.time_zone}
              value={draft.reveal_originals_at}
              onChange={(value) => set({ reveal_originals_at: value })}
            />
          ) : null}
        </>
      )}
    </Section>
  );
};

const HOUR_SECONDS = 3_600;

interface PeriodProps {
  label: string;
  name: string;
  maxHours: number;
  /** In seconds. Those beyond whole minutes are kept. */
  value: number;
  onChange: (value: number) => void;
}

/** A period in hours and minutes. */
const PeriodFields = ({ label, name, maxHours, value, onChange }: PeriodProps) => {
  const hours = Math.floor(value / HOUR_SECONDS);
  const minutes = Math.floor((value % HOUR_SECONDS) / 60);
  return (
    <div class="period">
      <NumberField
        label={label}
        name={`${name}_hours`}
        min={0}
        max={maxHours}
        value={hours}
        onChange={(next) => next !== null && onChange(value + (next - hours) * HOUR_SECONDS)}
      />
      <NumberField
        label={gm.game.minutes}
        name={`${name}_minutes`}
        min={value === 0 ? 1 : 0}
        max={59}
        value={minutes}
        onChange={(next) => next !== null && onChange(value + (next - minutes) * 60)}
      />
    </div>
  );
};

const Rules = ({ settings }: { settings: Settings }) => (
  <Section id="rules" title={gm.game.rules} settings={settings}>
    {(draft, set) => (
      <>
        <div class="pair">
          <PeriodFields
            label={gm.game.feeding}
            name="feeding"
            maxHours={8_784}
            value={draft.feeding_period_seconds}
            onChange={(feeding_period_seconds) => set({ feeding_period_seconds })}
          />
          <PeriodFields
            label={gm.game.window}
            name="window"
            maxHours={168}
            value={draft.report_window_seconds}
            onChange={(report_window_seconds) => set({ report_window_seconds })}
          />
          <NumberField
            label={gm.game.sharers}
            name="sharers"
            min={0}
            max={5}
            value={draft.sharers}
            onChange={(sharers) => sharers !== null && set({ sharers })}
          />
          <Select
            label={gm.game.outcome}
            name="checkpoint_outcome"
            value={draft.checkpoint_outcome}
            options={gm.game.outcomes}
            onChange={(checkpoint_outcome) => set({ checkpoint_outcome })}
          />
          <Select
            label={gm.game.leaving}
            name="leaving"
            value={draft.leaving}
            options={gm.game.leavings}
            onChange={(leaving) => set({ leaving })}
          />
        </div>
        <SettingInputs part="rules" draft={draft} set={set} />
      </>
    )}
  </Section>
);

const Texts = ({ settings }: { settings: Settings }) => (
  <Section id="texts" title={gm.game.texts} settings={settings}>
    {(draft, set) => <SettingInputs part="texts" draft={draft} set={set} />}
  </Section>
);

const SECTIONS = [
  ...([
    ["schedule", gm.game.schedule],
    ["registration", gm.game.registration],
    ["bans", gm.bans.title],
  ] as const),
  ...([
    ["originals", gm.game.originals],
    ["rules", gm.game.rules],
    ["texts", gm.game.texts],
  ] as const),
  ...([
    ["webhooks", gm.webhooks.title],
    ["awards", gm.awards.title],
    ["season", gm.season.title],
  ] as const),
];

const SectionNav = () => (
  <nav class="parts" aria-label={gm.game.parts}>
    {SECTIONS.map(([id, title]) => (
      <a key={id} href={`#${id}`}>
        {title}
      </a>
    ))}
  </nav>
);

export const Game = () => {
  const { value, error, reload } = usePolled(readSettings);
  const settings = value === null ? null : newestOf(value);
  return (
    <main class="page stack">
      <h1>{gm.nav.game}</h1>
      <ErrorNote error={error} onRetry={reload} />
      {settings === null && error === null ? <Skeleton /> : null}
      {settings === null ? null : (
        <>
          <SectionNav />
          <Clock settings={settings} />
          <Schedule settings={settings} />
          <Registration settings={settings} />
          <Bans zone={settings.time_zone} />
          <Originals settings={settings} />
          <Rules settings={settings} />
          <Texts settings={settings} />
          <Webhooks webhooks={settings.webhooks} zone={settings.time_zone} />
          <AwardsCard settings={settings} />
          <Season settings={settings} />
        </>
      )}
    </main>
  );
};
