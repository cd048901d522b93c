/** The form of a mission, with what each side sees beside it. */

import { useMemo } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { openEdit } from "../../../state/draft.ts";
import { loadMissions } from "../../../state/missions.ts";
import { now, readNow, snapshot } from "../../../state/session.ts";
import { effectTexts } from "../../../text/missions.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command, type Mission } from "../../calls.ts";
import { type Confirmation, openConfirmation } from "../../ui/confirmation.tsx";
import { isChangedMeanwhile, withMerge } from "../../ui/conflicts.tsx";
import { readMission } from "./attendance.tsx";
import { MissionFields } from "./missionFields.tsx";
import {
  bodyOf,
  changedFields,
  EMPTY_FORM,
  effectOf,
  type FieldName,
  formOf,
  hasLists,
  isComplete,
  isSame,
  type MissionForm,
  partOf,
} from "./missionForm.ts";
import { MissionPreview } from "./missionPreview.tsx";

const serviceNow = (): number => readNow() ?? Date.now();

/** What is told to whom by saving, one sentence per line. */
const tellEffects = (before: MissionForm | null, form: MissionForm, zone: string): string[] => {
  const texts = gm.missions.effects;
  if (form.draft) return [texts.draft];
  const at = serviceNow();
  const known = before === null || before.draft ? [] : before.briefings;
  const isNew = (one: MissionForm["briefings"][number]): boolean =>
    known.every(({ audience, reveal_at }) => audience !== one.audience || reveal_at !== one.reveal_at);
  const reveals = form.briefings.filter(isNew).map(({ audience, reveal_at }) => {
    const who = gm.missions.audiences[audience];
    return reveal_at === null || Date.parse(reveal_at) <= at
      ? texts.toldNow(who)
      : texts.toldLater(who, zonedText(reveal_at, zone));
  });
  const isMoved =
    known.some(({ reveal_at }) => reveal_at !== null && Date.parse(reveal_at) <= at) &&
    before !== null &&
    !isSame(
      [before.title, before.starts_at, before.ends_at, before.place, before.coordinates],
      [form.title, form.starts_at, form.ends_at, form.place, form.coordinates],
    );
  return [
    ...(before?.draft === true ? [texts.published] : []),
    ...reveals,
    ...(isMoved ? [texts.moved] : []),
  ];
};

/** A field of the form in words. */
const valueText = (form: MissionForm, name: FieldName, zone: string): string => {
  const value = form[name];
  if (typeof value === "boolean") return value ? gm.common.yes : gm.common.no;
  if (name === "briefings")
    return form.briefings
      .map(({ audience, text }) => `${gm.missions.audiences[audience]}: ${text}`)
      .join(" · ");
  if (name === "rewards")
    return form.rewards
      .map((one) => `${gm.missions.audiences[one.audience]}: ${effectTexts(effectOf(one) ?? {}).join(", ")}`)
      .join(" · ");
  if (typeof value !== "string" || value === "") return gm.common.none;
  return name === "starts_at" || name === "ends_at" ? zonedText(value, zone) : value;
};

type Edit = ReturnType<typeof openEdit<MissionForm>>;

const createConfirmation = (edit: Edit, zone: string): Confirmation => {
  const form = edit.shown();
  // Sent again after a lost response it must be the same request, so it has the time of the first.
  const body = bodyOf(form, serviceNow());
  return {
    action: "set_mission",
    title: form.title.trim(),
    effects: tellEffects(null, form, zone),
    submit: gm.common.save,
    run: async (reason, key) => {
      const { mission_id } = await command("set_mission", { ...body, ...reason }, key);
      edit.draft.clear();
      await loadMissions();
      return { text: gm.missions.created, page: paths.gm.mission(mission_id) };
    },
  };
};

/**
 * Saves the fields that were changed. If somebody else has saved the mission meanwhile, the change is sent with the newer
 * version, unless both have changed the same field: then the dialog shows both values.
 */
const changeConfirmation = (mission: Mission, edit: Edit, zone: string): (() => Confirmation) => {
  const { mission_id } = mission;
  const form = edit.shown();
  const before = edit.before();
  const names = changedFields(before, form);
  const part = partOf(form, names, serviceNow());
  const conflicting = (stored: Mission): FieldName[] => {
    const theirs = formOf(stored);
    return names.filter((name) => !isSame(theirs[name], before[name]) && !isSame(theirs[name], form[name]));
  };
  const save = async (version: number, reason: { reason?: string }, key: string) => {
    const body = { mission_id, version, ...part, ...reason };
    await command("set_mission", body, key);
    edit.draft.clear();
    await loadMissions();
    return { text: gm.missions.saved };
  };
  return withMerge<Mission>(
    () => ({
      action: "set_mission",
      title: form.title.trim(),
      effects: [
        gm.missions.effects.changed(names.map((name) => gm.missions.fields[name]).join(", ")),
        ...tellEffects(before, form, zone),
      ],
      submit: gm.common.save,
    }),
    {
      read: () => readMission(mission_id),
      send: async (theirs, reason, key) => {
        try {
          return await save(theirs?.version ?? before.version, reason, key);
        } catch (error) {
          if (!isChangedMeanwhile(error)) throw error;
          const stored = await readMission(mission_id);
          if (conflicting(stored).length > 0) throw error;
          return save(stored.version ?? 0, reason, `${key}-${stored.version}`);
        }
      },
      conflicts: (stored) =>
        conflicting(stored).map((name) => ({
          label: gm.missions.fields[name],
          theirs: valueText(formOf(stored), name, zone),
          mine: valueText(form, name, zone),
        })),
      take: (stored) => {
        const theirs = formOf(stored);
        edit.take({
          ...Object.fromEntries(conflicting(stored).map((name) => [name, theirs[name]])),
          version: theirs.version,
        });
        return true;
      },
    },
  );
};

/** @param props.mission the mission to change; `null` for a new one */
export const MissionEditor = ({ mission }: { mission: Mission | null }) => {
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  const stored = mission === null ? EMPTY_FORM : formOf(mission);
  const edit = useMemo(
    () => openEdit<MissionForm>(`mission:${mission?.mission_id ?? "new"}`, stored, hasLists),
    [mission?.mission_id, mission?.version],
  );
  const form = edit.shown();
  const set = (part: Partial<MissionForm>): void => edit.set({ ...part, version: stored.version });
  const hasChanges = changedFields(stored, form).length > 0;
  const submit = (event: Event): void => {
    event.preventDefault();
    openConfirmation(
      mission === null ? createConfirmation(edit, zone) : changeConfirmation(mission, edit, zone),
    );
  };
  const draft = { isRestored: edit.draft.isRestored.value, clear: () => edit.draft.clear() };
  return (
    <div class="mission-editor">
      <form class="card stack" onSubmit={submit}>
        <h2>{mission === null ? gm.missions.create : gm.missions.edit}</h2>
        <Restored draft={draft}>
          {edit.before().version === stored.version ? null : gm.game.savedSince}
        </Restored>
        <MissionFields form={form} zone={zone} set={set} isClosed={mission?.result != null} />
        <div class="actions save-bar" data-active={hasChanges}>
          <Button
            text={gm.missions.review}
            kind={hasChanges ? "primary" : undefined}
            type="submit"
            disabled={!hasChanges || !isComplete(form)}
          />
          {hasChanges ? (
            <Button text={gm.game.discard} kind="quiet" onClick={() => edit.draft.clear()} />
          ) : null}
        </div>
      </form>
      <MissionPreview
        form={form}
        picture_url={mission?.picture_url ?? null}
        zone={zone}
        // Minutes are enough, so that typing is not disturbed every second.
        at={Math.floor((now.value ?? Date.now()) / 60_000) * 60_000}
      />
    </div>
  );
};
