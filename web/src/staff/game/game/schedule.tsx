/** When the game is played. */
import { gm } from "../../../text/staff.ts";
import { defaultHours, joinNights, splitNights } from "../../../text/week.ts";
import type { Settings } from "../../calls.ts";
import { Select } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { ZonePicker } from "../../ui/zonePicker.tsx";
import { Section } from "../settings/settingsForm.tsx";
import { WeekEditor } from "../week/weekEditor.tsx";

export const Schedule = ({ settings }: { settings: Settings }) => (
  <Section
    id="schedule"
    title={gm.game.schedule}
    settings={settings}
    open={(stored) =>
      stored.play_hours === null ? stored : { ...stored, play_hours: joinNights(stored.play_hours) }
    }
    tidy={(part) => (part.play_hours ? { ...part, play_hours: splitNights(part.play_hours) } : part)}
  >
    {({ draft, set, bind }) => (
      <>
        <ZonePicker label={gm.game.zone} {...bind("time_zone")} />
        <div class="pair">
          <TimeField label={gm.game.starts} zone={draft.time_zone} {...bind("starts_at")} />
          <TimeField label={gm.game.ends} zone={draft.time_zone} {...bind("ends_at")} />
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
