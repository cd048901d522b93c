/** The form that sets a checkpoint, and the dialog that corrects it. */

import { counterOf, LIVING } from "../../../../../lib/domain/players/states.ts";
import { openEdit, useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/feedback.tsx";
import { bindFields, Field, FormErrors } from "../../../ui/field.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { type Checkpoint, command, readGame } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { withMerge } from "../../ui/conflicts.tsx";
import { Select, TextArea } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { showToast } from "../../ui/toasts.tsx";

/** A checkpoint that is typed. */
interface Typed {
  name: string;
  description: string;
  closes_at: string | null;
}

type Bind = ReturnType<typeof bindFields<Typed>>;

const PlaceFields = ({ bind }: { bind: Bind }) => (
  <>
    <Field label={gm.checkpoint.name} {...bind("name")} />
    <TextArea label={gm.checkpoint.description} rows={2} {...bind("description")} />
  </>
);

const ClosesField = ({ bind, zone }: { bind: Bind; zone: string }) => (
  <TimeField label={gm.checkpoint.closes} zone={zone} {...bind("closes_at")} />
);

/** The fields that are not empty. */
const filled = ({ name, description, closes_at }: Typed) => ({
  name: name.trim(),
  ...(description.trim() === "" ? {} : { description: description.trim() }),
  ...(closes_at === null ? {} : { closes_at }),
});

/** To whom a checkpoint can apply. */
const GROUPS = [...LIVING.map(counterOf), "all"] as const;

const NEW_CHECKPOINT = { name: "", description: "", closes_at: null as string | null, applies_to: "humans" };

export const SetForm = ({ zone }: { zone: string }) => {
  const draft = useDraft("checkpoint", NEW_CHECKPOINT);
  const typed = draft.value;
  const appliesTo = GROUPS.find((group) => group === typed.applies_to) ?? "humans";
  const form = useSubmit(async (keyOf) => {
    const body = { ...filled(typed), applies_to: appliesTo };
    await command("set_checkpoint", body, keyOf(body));
    draft.sent(typed);
    showToast(gm.checkpoint.set);
    notifyChanged();
  });
  const set = (part: Partial<typeof typed>): void => draft.set({ ...typed, ...part });
  const bind = bindFields<Typed>(typed, set);
  return (
    <form class="stack" onSubmit={form.submit}>
      <FormErrors.Provider value={form.error}>
        <Restored draft={draft} />
        <PlaceFields bind={bind} />
        <div class="pair">
          <ClosesField bind={bind} zone={zone} />
          <Select
            label={gm.checkpoint.whom}
            name="applies_to"
            value={appliesTo}
            options={GROUPS.map((group) => [group, gm.checkpoint.groups[group]] as const)}
            onChange={(applies_to) => set({ applies_to })}
          />
        </div>
        <p class="field-note">{gm.checkpoint.push}</p>
      </FormErrors.Provider>
      <FormError error={form.error} />
      <div class="actions">
        <Button
          text={gm.commands.set_checkpoint.button}
          kind="primary"
          type="submit"
          disabled={typed.name.trim() === "" || form.isSending}
        />
      </div>
    </form>
  );
};

const readCheckpoint = async (): Promise<Checkpoint | null> => (await readGame()).checkpoint;

const CORRECTED = ["name", "description", "closes_at"] as const;
const labelOf = (name: (typeof CORRECTED)[number]): string =>
  gm.checkpoint[name === "closes_at" ? "closes" : name].split(" (")[0] ?? name;

/** Returns the command that corrects the checkpoint, which notices what another game master has corrected meanwhile. */
export const correctConfirmation = (current: Checkpoint, zone: string): (() => Confirmation) => {
  const { checkpoint_id } = current;
  const { name, description, closes_at } = current;
  const edit = openEdit<Typed>(`checkpoint:${checkpoint_id}`, {
    name,
    description: description ?? "",
    closes_at,
  });
  const wanted = (): Partial<Checkpoint> => filled(edit.shown());
  const before = (): Partial<Checkpoint> => {
    const { description, ...others } = edit.before();
    return { ...others, description: description === "" ? null : description };
  };
  const changed = () => CORRECTED.filter((name) => name in wanted() && wanted()[name] !== before()[name]);
  const conflicting = (stored: Checkpoint) =>
    changed().filter((name) => stored[name] !== before()[name] && stored[name] !== wanted()[name]);
  const pick = (from: Partial<Checkpoint>) => Object.fromEntries(changed().map((name) => [name, from[name]]));
  const textOf = (name: (typeof CORRECTED)[number], value: string | null | undefined): string =>
    value == null ? gm.common.none : name === "closes_at" ? zonedText(value, zone) : value;
  return withMerge<Checkpoint>(
    () => ({
      action: "set_checkpoint",
      title: gm.checkpoint.correct,
      effects: [],
      submit: gm.common.save,
      drafts: [edit.draft],
      isReady: () => changed().length > 0 && edit.shown().name.trim() !== "",
      fields: (
        <>
          <PlaceFields bind={bindFields(edit.shown(), edit.set)} />
          <ClosesField bind={bindFields(edit.shown(), edit.set)} zone={zone} />
        </>
      ),
    }),
    {
      read: async () => (await readCheckpoint()) ?? current,
      send: async (theirs, reason, key) => {
        const body = { checkpoint_id, ...pick(wanted()), was: pick(theirs ?? before()), ...reason };
        await command("set_checkpoint", body, key);
        return { text: gm.checkpoint.corrected };
      },
      conflicts: (stored) =>
        conflicting(stored).map((name) => ({
          label: labelOf(name),
          theirs: textOf(name, stored[name]),
          mine: textOf(name, wanted()[name]),
        })),
      take: (stored) => {
        const { description, ...others } = Object.fromEntries(
          conflicting(stored).map((name) => [name, stored[name]]),
        );
        edit.take({ ...others, ...(description === undefined ? {} : { description: description ?? "" }) });
        return true;
      },
    },
  );
};
