/** Required missions: how many, who is short, and enforcing them. */
import { Skull, Undo2 } from "lucide";
import { paths } from "../../../paths.ts";
import { useDraft } from "../../../state/draft.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command, type Result } from "../../calls.ts";
import { readEnforced } from "../../live/logged.ts";
import { previewUndo } from "../../live/undoEnforcement.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { NumberField, TextArea } from "../../ui/inputs.tsx";
import { ReadError } from "../../ui/loading.tsx";
import { fatesOf } from "../../ui/previews.ts";
import { readSettings } from "../settings/settings.ts";

/** As many names as the service lists at once. */
const PREVIEW_LIMIT = 500;

/** What enforcing required missions will do, from its dry run. */
export const enforceMissionsEffects = ({
  killed,
  spared,
  needed,
  players = [],
}: Pick<Result<"enforce_missions">, "killed" | "spared" | "needed" | "players">): string[] => {
  const rest = killed - players.length;
  const fates = fatesOf(players);
  return [
    gm.missions.needed(needed),
    ...(killed === 0 ? [gm.missions.enforceNobody] : []),
    ...fates.map(({ state, outcome, names }) => gm.checkpoint.sum(state, outcome, names.length)),
    gm.missions.enforceSpared(spared),
    gm.missions.enforceNotCounted,
    // Last, because it may be long.
    ...fates.map(({ state, outcome, names }) => gm.checkpoint.fate(state, outcome, names)),
    ...(rest > 0 ? [gm.checkpoint.others(rest)] : []),
  ];
};

interface Wanted {
  min: number;
  exempt: string[];
}

const previewEnforce = async (wanted: Wanted, onDone: () => void): Promise<Confirmation> => {
  const dry = await command("enforce_missions", { ...wanted, dry_run: true, limit: PREVIEW_LIMIT });
  return {
    action: "enforce_missions",
    title: gm.missions.enforceTitle,
    decides: "enforce_missions",
    effects: enforceMissionsEffects(dry),
    isReady: () => dry.killed > 0,
    run: async (reason, key) => {
      const { killed, complete } = await command("enforce_missions", { ...wanted, ...reason }, key);
      onDone();
      return { text: complete ? gm.missions.enforced(killed) : gm.missions.enforcing };
    },
  };
};

const readEnforcedMissions = () => readEnforced("enforce_missions");

type Enforced = Awaited<ReturnType<typeof readEnforcedMissions>>;

const EnforcedBefore = ({ enforced }: { enforced: Enforced }) =>
  enforced.length === 0 ? null : (
    <>
      <h3>{gm.missions.enforcedBefore}</h3>
      <ul class="list">
        {enforced.map((one) => (
          <li key={one.checkpoint_id} class="row">
            <p class="grow">
              {gm.missions.enforcedText(one.killed, timeText(Date.parse(one.at), now.value ?? Date.now()))}
            </p>
            <CommandButton
              action="undo_checkpoint"
              icon={Undo2}
              preview={() => previewUndo(one.checkpoint_id, gm.missions.undoEnforce)}
            />
          </li>
        ))}
      </ul>
    </>
  );

/** `null` is the number of the settings, and an empty text none. */
const NOTHING = { min: null as number | "" | null, exempt: "" };

export const RequiredMissions = () => {
  const reading = usePolled(readSettings);
  const enforced = usePolled(readEnforcedMissions);
  const settings = reading.value;
  const draft = useDraft("missions:enforce", NOTHING);
  const set = (part: Partial<typeof NOTHING>): void => draft.set({ ...draft.value, ...part });
  const typed = draft.value.min ?? settings?.missions_required ?? "";
  const min = typed === "" ? null : typed;
  const exempt = draft.value.exempt
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (
    <section class="card stack">
      <div class="head">
        <h2>{gm.missions.requiredTitle}</h2>
        <ButtonLink text={gm.missions.requiredSettings} kind="text" href={paths.gm.section("rules")} />
      </div>
      <ReadError of={[reading, enforced]} />
      {settings === null ? null : <p class="muted">{gm.missions.requiredText(settings.missions_required)}</p>}
      <Restored draft={draft} />
      <div class="pair">
        <NumberField
          label={gm.missions.min}
          name="min"
          min={1}
          max={100}
          value={min}
          onChange={(value) => set({ min: value ?? "" })}
        />
        <TextArea
          label={gm.missions.exempt}
          name="exempt"
          rows={2}
          value={draft.value.exempt}
          onChange={(value) => set({ exempt: value })}
        />
      </div>
      <div class="actions">
        <CommandButton
          action="enforce_missions"
          icon={Skull}
          kind="danger"
          disabled={min === null}
          preview={() => previewEnforce({ min: min ?? 1, exempt }, () => draft.sent(draft.value))}
        />
        {min === null ? null : <ButtonLink text={gm.missions.short} href={paths.gm.playersBelow(min)} />}
      </div>
      <EnforcedBefore enforced={enforced.value ?? []} />
    </section>
  );
};
