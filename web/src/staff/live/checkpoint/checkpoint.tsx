/** The checkpoint page: sets, corrects, enforces, undoes and clears checkpoints. */
import { Skull, Undo2 } from "lucide";
import { isEnforced } from "../../../state/checkpoints.ts";
import { now, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { type Checkpoint, command, readGame } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { gameTimeText } from "../../ui/gameTime.ts";
import { Loading, ReadError } from "../../ui/loading.tsx";
import { enforceEffects } from "../../ui/previews.ts";
import { readEnforced } from "../logged.ts";
import { previewUndo } from "../undoEnforcement.ts";
import { correctConfirmation, SetForm } from "./checkpointForms.tsx";
import { PassList } from "./passList.tsx";

const PREVIEW_LIMIT = 100;

/** An enforced checkpoint; its name is known of the current one. */
type Enforced = Pick<Checkpoint, "checkpoint_id"> & { name?: string | null };

/** Returns the command to enforce a checkpoint, with the effects from a dry run. */
const previewEnforce = async (checkpoint: Checkpoint): Promise<Confirmation> => {
  const { checkpoint_id, name, closes_at } = checkpoint;
  const dry = await command("kill_all_not_at_checkpoint", {
    checkpoint_id,
    dry_run: true,
    limit: PREVIEW_LIMIT,
  });
  const at = now.peek() ?? Date.now();
  const isOpen = closes_at !== null && Date.parse(closes_at) > at;
  return {
    action: "kill_all_not_at_checkpoint",
    title: gm.checkpoint.enforceTitle(name),
    effects: enforceEffects(dry, checkpoint, isOpen ? timeText(Date.parse(closes_at), at) : null),
    run: async (reason, key) => {
      const { killed, complete } = await command(
        "kill_all_not_at_checkpoint",
        { checkpoint_id, ...reason },
        key,
      );
      return { text: complete ? gm.checkpoint.enforced(killed) : gm.checkpoint.working };
    },
  };
};

const Undo = ({ of }: { of: Enforced }) => (
  <CommandButton
    action="undo_checkpoint"
    icon={Undo2}
    preview={() => previewUndo(of.checkpoint_id, gm.checkpoint.undoTitle(of.name ?? null))}
  />
);

const clearConfirmation = (): Confirmation => ({
  action: "set_checkpoint",
  title: gm.checkpoint.clear,
  effects: gm.checkpoint.clearEffects,
  submit: gm.checkpoint.clear,
  run: async (reason, key) => {
    await command("set_checkpoint", { clear: true, ...reason }, key);
    return { text: gm.checkpoint.cleared };
  },
});

const Current = ({ checkpoint, zone }: { checkpoint: Checkpoint; zone: string }) => {
  const at = now.value ?? Date.now();
  const { name, description, closes_at, enforced_at, undone_at, applies_to } = checkpoint;
  const isOver = isEnforced(checkpoint);
  return (
    <>
      <section class="card stack">
        <h2>{name}</h2>
        <p class="muted">
          {gm.checkpoint.groups[applies_to]} ·{" "}
          {undone_at !== null
            ? gm.checkpoint.undoneAt(timeText(Date.parse(undone_at), at))
            : enforced_at !== null
              ? gm.checkpoint.enforcedAt(timeText(Date.parse(enforced_at), at))
              : closes_at === null
                ? gm.checkpoint.open
                : gm.now.closes(gameTimeText(closes_at))}
        </p>
        {description === null ? null : <p>{description}</p>}
        <div class="actions">
          {isOver ? (
            <Undo of={checkpoint} />
          ) : (
            <CommandButton
              action="kill_all_not_at_checkpoint"
              icon={Skull}
              kind="danger"
              preview={() => previewEnforce(checkpoint)}
            />
          )}
          {enforced_at === null ? (
            <CommandButton
              action="set_checkpoint"
              text={gm.checkpoint.correct}
              confirmation={correctConfirmation(checkpoint, zone)}
            />
          ) : null}
          <CommandButton
            action="set_checkpoint"
            text={gm.checkpoint.clear}
            confirmation={clearConfirmation}
          />
        </div>
      </section>
      {isOver ? null : <PassList checkpoint={checkpoint} />}
    </>
  );
};

const readEnforcedCheckpoints = () => readEnforced();

const EarlierCheckpoints = ({ checkpoint }: { checkpoint: Checkpoint | null }) => {
  const polled = usePolled(readEnforcedCheckpoints);
  const others = (polled.value ?? []).filter((one) => one.checkpoint_id !== checkpoint?.checkpoint_id);
  if (polled.error === null && others.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{gm.checkpoint.before}</h2>
      <ReadError of={[polled]} />
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
  const polled = usePolled(readGame);
  const game = polled.value;
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  const checkpoint = game?.checkpoint ?? null;
  return (
    <main class="page stack">
      <h1>{gm.nav.checkpoint}</h1>
      <Loading of={polled} />
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
