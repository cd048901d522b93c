/** The checkpoint page: sets, corrects, enforces, undoes and clears checkpoints. */
import { Skull, Undo2 } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { isConcerned, isEnforced } from "../../../state/checkpoints.ts";
import { openEdit, useDraft } from "../../../state/draft.ts";
import { type PageOf, usePages, useSubmit } from "../../../state/resource.ts";
import { now, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { zonedText } from "../../../text/zoned.ts";
import { ErrorNote, FormError, Skeleton } from "../../../ui/feedback.tsx";
import { Field, FormErrors } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { type Checkpoint, command, read, type StaffPlayer } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import {
  type Confirmation,
  ConfirmButton,
  changeCount,
  notifyChanged,
  PreviewButton,
  showToast,
} from "../../ui/confirmation.tsx";
import { withMerge } from "../../ui/conflicts.tsx";
import { Select, TextArea } from "../../ui/inputs.tsx";
import { enforceEffects, undoEffects } from "../../ui/previews.ts";
import { TimeField } from "../../ui/timeField.tsx";

const readGame = () => read("/game/{url_id}");

/** A checkpoint that is typed. */
interface Typed {
  name: string;
  description: string;
  closes_at: string | null;
}

interface FieldsProps {
  typed: Typed;
  set: (part: Partial<Typed>) => void;
}

const PlaceFields = ({ typed: { name, description }, set }: FieldsProps) => (
  <>
    <Field label={gm.checkpoint.name} name="name" value={name} onChange={(text) => set({ name: text })} />
    <TextArea
      label={gm.checkpoint.description}
      name="description"
      rows={2}
      value={description}
      onChange={(text) => set({ description: text })}
    />
  </>
);

const ClosesField = ({ typed, set, zone }: FieldsProps & { zone: string }) => (
  <TimeField
    label={gm.checkpoint.closes}
    name="closes_at"
    zone={zone}
    value={typed.closes_at}
    onChange={(closes_at) => set({ closes_at })}
  />
);

/** The fields that are not empty. */
const filled = ({ name, description, closes_at }: Typed) => ({
  name: name.trim(),
  ...(description.trim() === "" ? {} : { description: description.trim() }),
  ...(closes_at === null ? {} : { closes_at }),
});

const NEW_CHECKPOINT = { name: "", description: "", closes_at: null as string | null, applies_to: "humans" };

const SetForm = ({ zone }: { zone: string }) => {
  const draft = useDraft("checkpoint", NEW_CHECKPOINT);
  const typed = draft.value;
  const appliesTo = gm.checkpoint.groups.find(([value]) => value === typed.applies_to)?.[0] ?? "humans";
  const form = useSubmit(async () => {
    await command("/admin/set_checkpoint/{url_id}", { ...filled(typed), applies_to: appliesTo });
    draft.clear();
    showToast(gm.checkpoint.set);
    notifyChanged();
  });
  const set = (part: Partial<typeof typed>): void => draft.set({ ...typed, ...part });
  return (
    <form class="stack" onSubmit={form.submit}>
      <FormErrors.Provider value={form.error}>
        <Restored draft={draft} />
        <PlaceFields typed={typed} set={set} />
        <div class="pair">
          <ClosesField typed={typed} set={set} zone={zone} />
          <Select
            label={gm.checkpoint.whom}
            name="applies_to"
            value={appliesTo}
            options={gm.checkpoint.groups}
            onChange={(applies_to) => set({ applies_to })}
          />
        </div>
        <p class="field-note">{gm.checkpoint.push}</p>
      </FormErrors.Provider>
      <FormError error={form.error} />
      <div class="actions">
        <button
          type="submit"
          class="button"
          data-kind="primary"
          disabled={typed.name.trim() === "" || form.isSending}
        >
          {gm.checkpoint.submit}
        </button>
      </div>
    </form>
  );
};

const readCheckpoint = async (): Promise<Checkpoint | null> => (await readGame()).checkpoint;

const CORRECTED = ["name", "description", "closes_at"] as const;
const CORRECTED_LABELS = {
  name: gm.checkpoint.name,
  description: gm.checkpoint.description,
  closes_at: gm.checkpoint.closes,
};

/** Returns the command that corrects the checkpoint, which notices what another game master has corrected meanwhile. */
const correctConfirmation = (current: Checkpoint, zone: string): (() => Confirmation) => {
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
      path: "/admin/set_checkpoint/{url_id}",
      title: gm.checkpoint.correct,
      effects: [],
      submit: gm.common.save,
      drafts: [edit.draft],
      isReady: () => changed().length > 0 && edit.shown().name.trim() !== "",
      fields: (
        <>
          <PlaceFields typed={edit.shown()} set={edit.set} />
          <ClosesField typed={edit.shown()} set={edit.set} zone={zone} />
        </>
      ),
    }),
    {
      read: async () => (await readCheckpoint()) ?? current,
      send: async (theirs, reason, key) => {
        const body = { checkpoint_id, ...pick(wanted()), was: pick(theirs ?? before()), ...reason };
        await command("/admin/set_checkpoint/{url_id}", body, key);
        return { text: gm.checkpoint.corrected };
      },
      conflicts: (stored) =>
        conflicting(stored).map((name) => ({
          label: CORRECTED_LABELS[name].split(";")[0] ?? name,
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

const PREVIEW_LIMIT = 100;

type Enforced = Pick<Checkpoint, "checkpoint_id"> & { name: string | null };

/** Returns the command to enforce a checkpoint, with the effects from a dry run. */
const previewEnforce = async (checkpoint: Checkpoint): Promise<Confirmation> => {
  const { checkpoint_id, name, closes_at } = checkpoint;
  const path = "/admin/kill_all_not_at_checkpoint/{url_id}";
  const dry = await command(path, { checkpoint_id, dry_run: true, limit: PREVIEW_LIMIT });
  const at = now.peek() ?? Date.now();
  const isOpen = closes_at !== null && Date.parse(closes_at) > at;
  return {
    path,
    title: gm.checkpoint.enforceTitle(name),
    effects: enforceEffects(dry, checkpoint, isOpen ? timeText(Date.parse(closes_at), at) : null),
    submit: gm.checkpoint.enforce,
    isDestructive: true,
    run: async (reason, key) => {
      const { killed, complete } = await command(path, { checkpoint_id, ...reason }, key);
      return { text: complete ? gm.checkpoint.enforced(killed) : gm.checkpoint.working };
    },
  };
};

/** Returns the command to undo an enforcement, with the effects from a dry run. */
const previewUndo = async ({ checkpoint_id, name }: Enforced): Promise<Confirmation> => {
  const path = "/admin/undo_checkpoint/{url_id}";
  const body = { checkpoint_id, dry_run: true, limit: PREVIEW_LIMIT, reason: gm.checkpoint.undo };
  const dry = await command(path, body);
  return {
    path,
    title: gm.checkpoint.undoTitle(name),
    effects: undoEffects(dry),
    submit: gm.checkpoint.undo,
    isDestructive: true,
    reason: "required",
    isReady: () => dry.restored > 0,
    run: async ({ reason = "" }, key) => {
      const done = await command(path, { checkpoint_id, reason }, key);
      return { text: done.complete ? gm.checkpoint.undone(done.restored) : gm.checkpoint.undoing };
    },
  };
};

const Undo = ({ of }: { of: Enforced }) => (
  <PreviewButton path="/admin/undo_checkpoint/{url_id}" preview={() => previewUndo(of)}>
    <Icon of={Undo2} size={20} />
    {gm.checkpoint.undo}
  </PreviewButton>
);

const clearConfirmation: Confirmation = {
  path: "/admin/set_checkpoint/{url_id}",
  title: gm.checkpoint.clear,
  effects: gm.checkpoint.clearEffects,
  submit: gm.checkpoint.clear,
  run: async (reason, key) => {
    await command("/admin/set_checkpoint/{url_id}", { clear: true, ...reason }, key);
    return { text: gm.checkpoint.cleared };
  },
};

/**
 * Reads the players to whom the checkpoint applies, by whether they have passed. The service filters by the real state, but
 * a hidden original zombie counts as a human, so the page filters itself.
 */
const readPasses = async (
  passed: "true" | "false",
  applies_to: Checkpoint["applies_to"],
  cursor?: string,
): Promise<PageOf<StaffPlayer>> => {
  const query = { passed, limit: 500, ...(cursor === undefined ? {} : { cursor }) };
  const { players, next_cursor } = await read("/admin/get_players/{url_id}", query);
  return { items: players.filter((player) => isConcerned({ applies_to }, player)), next: next_cursor };
};

const PassList = ({ checkpoint: { applies_to } }: { checkpoint: Checkpoint }) => {
  const [passed, setPassed] = useState<"true" | "false">("false");
  const changesSeen = changeCount.value;
  const load = useCallback(
    (cursor?: string) => readPasses(passed, applies_to, cursor),
    [passed, applies_to, changesSeen],
  );
  const pages = usePages(load);
  return (
    <section class="card stack">
      <Select
        label={gm.checkpoint.list}
        name="passed"
        value={passed}
        options={gm.checkpoint.lists}
        onChange={setPassed}
      />
      <PagesList
        pages={pages}
        empty={passed === "true" ? gm.checkpoint.nonePassed : gm.checkpoint.noneMissing}
      >
        {(player) => (
          <li key={player.player_id}>
            <a class="row" href={paths.gm.player(player.player_ref)}>
              <Avatar player={player} />
              <span class="grow">{player.alias}</span>
              <StateBadge state={player.state} />
            </a>
          </li>
        )}
      </PagesList>
    </section>
  );
};

const Current = ({ checkpoint, zone }: { checkpoint: Checkpoint; zone: string }) => {
  const at = now.value ?? Date.now();
  const { name, description, closes_at, enforced_at, undone_at, applies_to } = checkpoint;
  const isOver = isEnforced(checkpoint);
  return (
    <>
      <section class="card stack">
        <h2>{name}</h2>
        <p class="muted">
          {gm.checkpoint.group[applies_to]} ·{" "}
          {undone_at !== null
            ? gm.checkpoint.undoneAt(timeText(Date.parse(undone_at), at))
            : enforced_at !== null
              ? gm.checkpoint.enforcedAt(timeText(Date.parse(enforced_at), at))
              : closes_at === null
                ? gm.checkpoint.open
                : gm.now.closes(timeText(Date.parse(closes_at), at))}
        </p>
        {description === null ? null : <p>{description}</p>}
        <div class="actions">
          {isOver ? (
            <Undo of={checkpoint} />
          ) : (
            <PreviewButton
              path="/admin/kill_all_not_at_checkpoint/{url_id}"
              kind="danger"
              preview={() => previewEnforce(checkpoint)}
            >
              <Icon of={Skull} size={20} />
              {gm.checkpoint.enforce}
            </PreviewButton>
          )}
          {enforced_at === null ? (
            <ConfirmButton
              path="/admin/set_checkpoint/{url_id}"
              confirmation={correctConfirmation(checkpoint, zone)}
            >
              {gm.checkpoint.correct}
            </ConfirmButton>
          ) : null}
          <ConfirmButton path={clearConfirmation.path} confirmation={clearConfirmation}>
            {gm.checkpoint.clear}
          </ConfirmButton>
        </div>
      </section>
      {isOver ? null : <PassList checkpoint={checkpoint} />}
    </>
  );
};

/** Reads completed enforcements, one per checkpoint, from the audit log: the game only has the current checkpoint. */
const readEnforced = async () => {
  const { logs } = await read("/admin/get_logs/{url_id}", {
    action: "kill_all_not_at_checkpoint",
    changes: "true",
    outcome: "done",
    limit: 50,
  });
  const ended = logs.flatMap(({ details: { checkpoint_id, killed, complete }, at }) =>
    typeof checkpoint_id === "string" && typeof killed === "number" && complete === true
      ? [{ checkpoint_id, name: null, killed, at }]
      : [],
  );
  return [...new Map(ended.toReversed().map((one) => [one.checkpoint_id, one])).values()].toReversed();
};

const EarlierCheckpoints = ({ checkpoint }: { checkpoint: Checkpoint | null }) => {
  const { value } = usePolled(readEnforced);
  const others = (value ?? []).filter((one) => one.checkpoint_id !== checkpoint?.checkpoint_id);
  if (others.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{gm.checkpoint.before}</h2>
      <ul class="list">
        {others.map((one) => (
          <li key={one.checkpoint_id} class="row">
            <p class="grow">
              {gm.checkpoint.beforeText(one.killed, timeText(Date.parse(one.at), now.value ?? Date.now()))}
            </p>
            <Undo of={one} />
          </li>
        ))}
      </ul>
    </section>
  );
};

export const CheckpointPage = () => {
  const { value: game, error, reload } = usePolled(readGame);
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  const checkpoint = game?.checkpoint ?? null;
  return (
    <main class="page stack">
      <h1>{gm.nav.checkpoint}</h1>
      <ErrorNote error={error} onRetry={reload} />
      {game === null && error === null ? <Skeleton /> : null}
      {checkpoint === null ? null : <Current checkpoint={checkpoint} zone={zone} />}
      {game !== null && (checkpoint === null || isEnforced(checkpoint)) ? (
        <section class="card stack">
          <h2>{gm.checkpoint.next}</h2>
          <SetForm zone={zone} />
        </section>
      ) : null}
      <EarlierCheckpoints checkpoint={checkpoint} />
    </main>
  );
};
