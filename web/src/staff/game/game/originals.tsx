/** Original zombies: whether they are hidden, their draw among the volunteers, and the reveal. */
import { useCallback, useState } from "preact/hooks";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { command, type Settings } from "../../calls.ts";
import { useRoster } from "../../roster.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { Checkbox, NumberField } from "../../ui/inputs.tsx";
import { ReadError } from "../../ui/loading.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { SettingInputs } from "../settings/settingInputs.tsx";
import { changeSettings } from "../settings/settings.ts";
import { Section } from "../settings/settingsForm.tsx";

/** The number of volunteers listed by name. */
const MAX_NAMES = 20;

const Draw = () => {
  const roster = useRoster();
  const { players, isLoading, error } = roster;
  const volunteers = players.filter(({ player }) => player.state === "human" && player.wants_original);
  const [n, setN] = useState<number | null>(1);
  const preview = useCallback(async (): Promise<Confirmation> => {
    const body = { n: n ?? 1 };
    const { volunteers } = await command("draw_originals", { ...body, dry_run: true });
    return {
      action: "draw_originals",
      title: gm.game.drawTitle(body.n, volunteers),
      // A number that was entered wrongly is not drawn as well.
      decides: "draw_originals",
      effects: gm.game.drawEffects,
      submit: gm.game.drawThem(body.n),
      run: async (reason, key) => {
        const done = await command("draw_originals", { ...body, ...reason }, key);
        return { text: gm.game.drawDone(done.drawn.map(({ alias }) => alias ?? gm.common.gone)) };
      },
    };
  }, [n]);
  return (
    <div class="stack divided">
      <h3>{gm.game.draw}</h3>
      <p class="muted">{gm.game.drawHint}</p>
      <ReadError of={[roster]} />
      {isLoading || error !== null ? null : (
        <p>
          {gm.game.volunteers(
            volunteers.slice(0, MAX_NAMES).map(({ player }) => player.alias),
            volunteers.length,
          )}
        </p>
      )}
      <NumberField label={gm.game.howMany} name="n" min={1} max={40} value={n} onChange={setN} />
      <div class="actions">
        <CommandButton action="draw_originals" preview={preview} disabled={n === null || n < 1} />
      </div>
    </div>
  );
};

const revealConfirmation = (): Confirmation => ({
  action: "settings",
  title: gm.game.reveal,
  effects: gm.game.revealEffects,
  submit: gm.game.reveal,
  isDelayed: true,
  run: async (reason, key) => {
    await changeSettings({ reveal_originals_at: "now", ...reason }, key);
    return { text: gm.game.revealed };
  },
});

export const Originals = ({ settings }: { settings: Settings }) => {
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
              <CommandButton action="settings" text={gm.game.reveal} confirmation={revealConfirmation} />
            </div>
          ) : null}
        </>
      }
    >
      {({ draft, set, bind }) => (
        <>
          <Checkbox label={gm.game.hide} hint={gm.game.hideHint} {...bind("hide_originals")} />
          {draft.hide_originals ? (
            <TimeField label={gm.game.revealAt} zone={draft.time_zone} {...bind("reveal_originals_at")} />
          ) : null}
          <SettingInputs part="originals" draft={draft} set={set} />
        </>
      )}
    </Section>
  );
};
