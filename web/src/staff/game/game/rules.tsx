/** The rules of the game, and the texts before the login. */
import { gm } from "../../../text/staff.ts";
import type { Settings } from "../../calls.ts";
import { HOUR_SECONDS, MAX_HOURS } from "../../ui/hours.ts";
import { NumberField, Select } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { SettingInputs } from "../settings/settingInputs.tsx";
import { Section } from "../settings/settingsForm.tsx";

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
        isNeeded
        value={hours}
        onChange={(next) => next !== null && onChange(value + (next - hours) * HOUR_SECONDS)}
      />
      <NumberField
        label={gm.game.minutes}
        name={`${name}_minutes`}
        min={value === 0 ? 1 : 0}
        max={59}
        isNeeded
        value={minutes}
        onChange={(next) => next !== null && onChange(value + (next - minutes) * 60)}
      />
    </div>
  );
};

export const Rules = ({ settings }: { settings: Settings }) => (
  <Section id="rules" title={gm.game.rules} settings={settings}>
    {({ draft, set, bind }) => (
      <>
        <div class="pair">
          <PeriodFields
            label={gm.game.feeding}
            maxHours={MAX_HOURS}
            {...bind("feeding_period_seconds")}
            name="feeding"
          />
          <PeriodFields
            label={gm.game.window}
            maxHours={168}
            {...bind("report_window_seconds")}
            name="window"
          />
          <NumberField
            label={gm.game.sharers}
            name="sharers"
            min={0}
            max={5}
            isNeeded
            value={draft.sharers}
            onChange={(sharers) => sharers !== null && set({ sharers })}
          />
          <Select label={gm.game.outcome} options={gm.game.outcomes} {...bind("checkpoint_outcome")} />
          <Select label={gm.game.leaving} options={gm.game.leavings} {...bind("leaving")} />
          <NumberField
            label={gm.game.missionsRequired}
            hint={gm.game.missionsHint}
            min={1}
            max={100}
            {...bind("missions_required")}
          />
          <TimeField
            label={gm.game.missionsCountedFrom}
            zone={draft.time_zone}
            {...bind("missions_counted_from")}
          />
        </div>
        <SettingInputs part="rules" draft={draft} set={set} />
      </>
    )}
  </Section>
);

export const Texts = ({ settings }: { settings: Settings }) => (
  <Section id="texts" title={gm.game.texts} settings={settings}>
    {({ draft, set }) => <SettingInputs part="texts" draft={draft} set={set} />}
  </Section>
);
