/** Selection of players, and the commands on a selection: label, feed and revive. */
import { useState } from "preact/hooks";
import { useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { command, may } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { askHidden } from "../../ui/hiddenChoice.tsx";
import { groupEffects } from "../../ui/previews.ts";
import { showToast } from "../../ui/toasts.tsx";

/**
 * Returns a group command with the effects from its dry run.
 * @param chosen what the game master chooses in the form
 */
const previewGroup = async (
  action: "feed_group" | "revive_all",
  selection: { aliases: string[]; as?: "zombie" },
  texts: { title?: string; effect: string; done: (n: number) => string },
  chosen?: Awaited<ReturnType<typeof askHidden>>,
): Promise<Confirmation> => {
  const dry = await command(action, { ...selection, dry_run: true, limit: 100 });
  const title = texts.title ?? gm.commands[action].button;
  return {
    action,
    title,
    effects: groupEffects(dry, texts.effect),
    submit: title,
    fields: chosen?.field,
    isReady: () => dry.count > 0,
    run: async (reason, key) => {
      const { count } = await command(action, { ...selection, ...chosen?.body(), ...reason }, key);
      return { text: texts.done(count) };
    },
  };
};

const previewRise = async (aliases: string[]): Promise<Confirmation> =>
  previewGroup("revive_all", { aliases, as: "zombie" }, gm.group.rise, await askHidden());

/** The service labels at most this many players at once. */
const MAX_SELECTED = 50;

interface Selection {
  aliases: ReadonlySet<string>;
  toggle: (alias: string) => void;
  clear: () => void;
}

/** The players that are selected on a page, by alias. */
export const useSelection = (): Selection => {
  const [aliases, setAliases] = useState<ReadonlySet<string>>(new Set());
  const toggle = (alias: string): void => {
    const next = new Set(aliases);
    if (!next.delete(alias)) next.add(alias);
    setAliases(next);
  };
  return { aliases, toggle, clear: () => setAliases(new Set()) };
};

/** Whether the player's role has group commands. */
export const maySelect = (): boolean => may("label");

/** The checkbox that selects a player. Not rendered for roles without group commands. */
export const SelectPlayer = ({ alias, selection }: { alias: string; selection: Selection }) => {
  const isChosen = selection.aliases.has(alias);
  return maySelect() ? (
    <label class="choose">
      <input
        type="checkbox"
        checked={isChosen}
        disabled={!isChosen && selection.aliases.size >= MAX_SELECTED}
        onChange={() => selection.toggle(alias)}
      />
      <span class="visually-hidden">{alias}</span>
    </label>
  ) : null;
};

/** The commands on the selected players. Not rendered while nobody is selected. */
export const Group = ({ selection }: { selection: Selection }) =>
  selection.aliases.size === 0 || !maySelect() ? null : (
    <GroupCommands chosen={[...selection.aliases]} onDone={selection.clear} />
  );

/** On a phone the commands would cover half of the list, so they are opened when all are selected. */
const isWide = matchMedia("(min-width: 48rem)").matches;

const GroupCommands = ({ chosen, onDone }: { chosen: string[]; onDone: () => void }) => {
  const draft = useDraft("label", "");
  const { value: label, set: setLabel } = draft;
  const send = (change: "add" | "remove") => async () => {
    await command("label", { aliases: chosen, [change]: [label.trim().toLowerCase()] });
    showToast(gm.players.labelled(chosen.length));
    draft.sent(label);
    onDone();
    notifyChanged();
  };
  const add = useSubmit(send("add"));
  const remove = useSubmit(send("remove"));
  const error = add.error ?? remove.error;
  const isDisabled = label.trim() === "" || add.isSending || remove.isSending;
  return (
    <details class="card group" open={isWide}>
      <summary>{gm.players.chosen(chosen.length)}</summary>
      <div class="stack">
        <p class="muted group-names">{chosen.join(", ")}</p>
        <div class="actions">
          <CommandButton
            action="feed_group"
            preview={() => previewGroup("feed_group", { aliases: chosen }, gm.group.feed)}
          />
          <CommandButton
            action="revive_all"
            preview={() => previewGroup("revive_all", { aliases: chosen }, gm.group.revive)}
          />
          <CommandButton action="revive_all" text={gm.group.rise.title} preview={() => previewRise(chosen)} />
          <Button text={gm.players.none} kind="quiet" onClick={onDone} />
        </div>
        <div class="group-label">
          <Field label={gm.players.label} name="label" value={label} onChange={setLabel} required={false} />
          <div class="actions">
            <Button text={gm.commands.label.button} disabled={isDisabled} onClick={() => void add.submit()} />
            <Button text={gm.players.remove} disabled={isDisabled} onClick={() => void remove.submit()} />
          </div>
        </div>
        <ErrorNote error={error} />
      </div>
    </details>
  );
};
