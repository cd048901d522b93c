/** The waiver: its text with a preview, what a signature is asked, and what age somebody needs. */
import { ClipboardCheck } from "lucide";
import { useState } from "preact/hooks";
import { WAIVER_ASK } from "../../../../../lib/domain/game/settings.ts";
import { paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import type { Settings } from "../../calls.ts";
import { Checkbox, NumberField, TextArea } from "../../ui/inputs.tsx";
import { Section } from "../settings/settingsForm.tsx";

export const WaiverSettings = ({ settings }: { settings: Settings }) => {
  // Said of one change: after it is saved, the next may be a larger one.
  const [smallFrom, setSmallFrom] = useState<string | null>(null);
  const isSmall = smallFrom !== null && smallFrom === settings.waiver;
  return (
    <Section
      id="waiver"
      title={gm.game.sections.waiver}
      settings={settings}
      more={({ waiver }) => (isSmall && waiver != null ? { waiver_keeps_signatures: true } : {})}
      below={
        <div class="actions divided">
          <ButtonLink text={gm.nav.readiness} icon={ClipboardCheck} href={paths.gm.readiness} />
        </div>
      }
    >
      {({ draft, set, bind }) => {
        const asks = (one: (typeof WAIVER_ASK)[number], isAsked: boolean): void =>
          set({
            waiver_ask: WAIVER_ASK.filter((name) =>
              name === one ? isAsked : draft.waiver_ask.includes(name),
            ),
          });
        const text = draft.waiver ?? "";
        const hasChanged =
          settings.waiver !== null && draft.waiver !== null && draft.waiver !== settings.waiver;
        return (
          <>
            <TextArea
              label={gm.game.waiver}
              hint={gm.game.markdown}
              name="waiver"
              rows={12}
              value={text}
              onChange={(typed) => set({ waiver: typed.trim() === "" ? null : typed })}
            />
            {hasChanged ? (
              <Checkbox
                label={gm.game.keepsSignatures}
                hint={gm.game.keepsSignaturesHint}
                name="waiver_keeps_signatures"
                value={isSmall}
                onChange={(isIt) => setSmallFrom(isIt ? settings.waiver : null)}
              />
            ) : null}
            {text === "" ? null : (
              <details>
                <summary>{gm.game.preview}</summary>
                <div class="card">
                  <Markdown text={text} />
                </div>
              </details>
            )}
            <fieldset class="stack asks">
              <legend>{gm.game.waiverAsk}</legend>
              {WAIVER_ASK.map((one) => (
                <Checkbox
                  key={one}
                  label={gm.game.asks[one]}
                  name={one}
                  value={draft.waiver_ask.includes(one)}
                  onChange={(isAsked) => asks(one, isAsked)}
                />
              ))}
            </fieldset>
            <div class="pair">
              <NumberField
                label={gm.game.minimumAge}
                hint={gm.game.minimumAgeHint}
                min={1}
                max={120}
                {...bind("minimum_age")}
              />
              <NumberField
                label={gm.game.keepSignatures}
                name="keep_signatures_days"
                min={0}
                max={3_660}
                isNeeded
                value={draft.keep_signatures_days}
                onChange={(days) => days !== null && set({ keep_signatures_days: days })}
              />
            </div>
          </>
        );
      }}
    </Section>
  );
};
