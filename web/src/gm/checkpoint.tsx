/** The checkpoint page: sets, corrects, enforces, undoes and clears checkpoints. */
import { Skull, Undo2 } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { isConcerned, isEnforced } from "../checkpoints.ts";
import { type PageOf, usePages, useSubmit } from "../resource.ts";
import { now, snapshot } from "../session.ts";
import { timeText } from "../times.ts";
import { ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { PagesList } from "../ui/pagesList.tsx";
import { Avatar, StateBadge } from "../ui/player.tsx";
import { type Checkpoint, command, read, type StaffPlayer } from "./calls.ts";
import {
  type Confirmation,
  ConfirmButton,
  changeCount,
  notifyChanged,
  PreviewButton,
  showToast,
} from "./confirmation.tsx";
import { pathOf } from "./find.tsx";
import { Select, TextArea, TimeField } from "./inputs.tsx";
import { usePolled } from "./polled.ts";
import { enforceEffects, undoEffects } from "./previews.ts";
import { gm } from "./texts.ts";

const readGame = () => read("/game/{url_id}");

const optionalField = <K extends string>(name: K, value: string | null): Partial<Record<K, string>> => {
  const fields: Partial<Record<K, string>> = {};
  if (value !== null && value.trim() !== "") fields[name] = value.trim();
  return fields;
};

const SetForm = ({ current, zone }: { current: Checkpoint | null; zone: string }) => {
  const [name, setName] = useState(current?.name ?? "");
  const [description, setDescription] = useState(current?.description ?? "");
  const [closesAt, setClosesAt] = useState(current?.closes_at ?? null);
  const [appliesTo, setAppliesTo] = useState<Checkpoint["applies_to"]>(current?.applies_to ?? "humans");
  const form = useSubmit(async () => {
    const fields = { ...optionalField("description", description), ...optionalField("closes_at", closesAt) };
    const which = current === null ? { applies_to: appliesTo } : { checkpoint_id: current.checkpoint_id };
    await command("/admin/set_checkpoint/{url_id}", { name: name.trim(), ...fields, ...which });
    showToast(current === null ? gm.checkpoint.set : gm.checkpoint.corrected);
    notifyChanged();
  });
  return (
    <form class="stack" onSubmit={form.submit}>
      <Field label={gm.checkpoint.name} name="name" value={name} onChange={setName} />
      <TextArea
        label={gm.checkpoint.description}
        name="description"
        rows={2}
        value={description}
        onChange={setDescription}
      />
      <div class="pair">
        <TimeField
          label={gm.checkpoint.closes}
          name="closes_at"
          zone={zone}
          value={closesAt}
          onChange={setClosesAt}
        />
        {current === null ? (
          <Select
            label={gm.checkpoint.whom}
            name="applies_to"
            value={appliesTo}
            options={gm.checkpoint.groups}
            onChange={setAppliesTo}
          />
        ) : null}
      </div>
      {current === null ? <p class="field-note">{gm.checkpoint.push}</p> : null}
      <ErrorNote error={form.error} />
      <div class="actions">
        <button
          type="submit"
          class="button"
          data-kind="primary"
          disabled={name.trim() === "" || form.isSending}
        >
          {current === null ? gm.checkpoint.submit : gm.common.save}
        </button>
      </div>
    </form>
  );
};

const PREVIEW_LIMIT = 100;

type Enforced = Pick<Checkpoint, "checkpoint_id"> & { name: string | null };

/** Returns the command to enforce a checkpoint, with the effects from a dry run. */
const previewEnforce = async ({ checkpoint_id, name }: Checkpoint): Promise<Confirmation> => {
  const path = "/admin/kill_all_not_at_checkpoint/{url_id}";
  const dry = await command(path, { checkpoint_id, dry_run: true, limit: PREVIEW_LIMIT });
  return {
    path,
    title: gm.checkpoint.enforceTitle(name),
    effects: enforceEffects(dry),
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
 * a hidden original zombie counts as a human, so the page filters itself. It skips pages on which nobody is concerned.
 */
const readPasses = async (
  passed: "true" | "false",
  applies_to: Checkpoint["applies_to"],
  cursor?: string,
): Promise<PageOf<StaffPlayer>> => {
  const query = { passed, limit: 500, ...(cursor === undefined ? {} : { cursor }) };
  const { players, next_cursor } = await read("/admin/get_players/{url_id}", query);
  const items = players.filter((player) => isConcerned({ applies_to }, player));
  return items.length === 0 && next_cursor !== null
    ? readPasses(passed, applies_to, next_cursor)
    : { items, next: next_cursor };
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
            <a class="row" href={pathOf(player)}>
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
  const { name, description, closes_at, enforced_at, undone_at, applies_to, checkpoint_id } = checkpoint;
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
          <ConfirmButton path={clearConfirmation.path} confirmation={clearConfirmation}>
            {gm.checkpoint.clear}
          </ConfirmButton>
        </div>
        {enforced_at === null ? (
          <details class="divided">
            <summary>{gm.checkpoint.correct}</summary>
            <SetForm key={checkpoint_id} current={checkpoint} zone={zone} />
          </details>
        ) : null}
      </section>
      {isOver ? null : <PassList checkpoint={checkpoint} />}
    </>
  );
};

/** Reads completed enforcements, one per checkpoint, from the audit log: the game only has the current checkpoint. */
const readEnforced = async () => {
  const { logs } = await read("/admin/get_logs/{url_id}", {
    action: "kill_all_not_at_checkpoint",
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
          <li key={one.checkpoint_id} class="row" data-wraps>
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
          <SetForm current={null} zone={zone} />
        </section>
      ) : null}
      <EarlierCheckpoints checkpoint={checkpoint} />
    </main>
  );
};
