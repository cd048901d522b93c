/** The forms that change a player: alias and names, note and labels, role. */
import { signal } from "@preact/signals";
import { openEdit } from "../../../state/draft.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { command, read, type StaffPlayer } from "../../calls.ts";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { withMerge } from "../../ui/conflicts.tsx";
import { bindSignal, Checkbox, Select, TextArea } from "../../ui/inputs.tsx";
import type { Outcome } from "../../ui/toasts.tsx";

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** What a game master can change of a player in forms, by the names of the request. */
type Editable = Pick<StaffPlayer, "first_name" | "last_name" | "email" | "note"> & {
  alias_to: string;
  is_admin: boolean;
  is_moderator: boolean;
};

const editableOf = (player: StaffPlayer): Editable => ({
  alias_to: player.alias,
  first_name: player.first_name,
  last_name: player.last_name,
  email: player.email,
  note: player.note,
  is_admin: player.role === "game_master",
  is_moderator: player.role === "moderator",
});

const labels = (): Readonly<Record<keyof Editable, string>> => ({
  alias_to: gm.commands.edit_player.alias,
  first_name: gm.commands.edit_player.firstName,
  last_name: gm.commands.edit_player.lastName,
  email: gm.commands.edit_player.email,
  note: gm.player.note,
  is_admin: gm.role.game_master,
  is_moderator: gm.role.moderator,
});

const namesOf = (fields: Partial<Editable>): (keyof Editable)[] =>
  // `keys` forgets the names.
  Object.keys(fields) as (keyof Editable)[];

const pick = (from: Editable, names: readonly (keyof Editable)[]): Partial<Editable> =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

const plainText = (value: string | boolean | null): string =>
  value === null ? gm.common.none : typeof value === "string" ? value : value ? gm.common.yes : gm.common.no;

/** The texts of a player that forms change. */
const textsOf = (player: StaffPlayer) => ({
  alias_to: player.alias,
  first_name: player.first_name ?? "",
  last_name: player.last_name ?? "",
  email: player.email ?? "",
  note: player.note ?? "",
  labels: player.labels.join(" "),
});
type Texts = ReturnType<typeof textsOf>;
type TextName = Exclude<keyof Texts, "labels">;

/** The texts as the service stores them, where an empty one is `null`. */
const storedTexts = (texts: Texts, names: readonly TextName[]): Partial<Editable> =>
  Object.fromEntries(
    names.map((name) => [name, name === "alias_to" ? texts[name].trim() : orNull(texts[name])]),
  );

/** The inverse of `storedTexts`. */
const typedTexts = (stored: Partial<Editable>): Partial<Texts> =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, value ?? ""]));

interface Edit {
  player: StaffPlayer;
  /** What was stored when the change was begun. */
  before?: () => Partial<Editable>;
  /** The fields that differ from the player. */
  changes: () => Partial<Editable>;
  /** Shows what is stored in the form, if it has several fields. */
  take?: (stored: Partial<Editable>) => void;
  /** @param send sends the changes; none if there are none */
  run: (
    send: (more?: object) => Promise<StaffPlayer | null>,
    reason: object,
    key: string,
  ) => Promise<Outcome>;
}

/** A form that changes a player, and notices what another game master has changed meanwhile. */
const editing = (confirm: () => Omit<Confirmation, "run">, { player, before, changes, take, run }: Edit) => {
  const begun = (): Editable => ({ ...editableOf(player), ...before?.() });
  const conflicting = (stored: Editable): (keyof Editable)[] => {
    const [wanted, known] = [changes(), begun()];
    return namesOf(wanted).filter((name) => stored[name] !== known[name] && stored[name] !== wanted[name]);
  };
  return withMerge<Editable>(confirm, {
    read: async () => {
      const { players } = await read("find", { q: player.player_ref });
      return editableOf(players.find(({ player_id }) => player_id === player.player_id) ?? player);
    },
    send: (theirs, reason, key) =>
      run(
        async (more = {}) => {
          const fields = changes();
          const names = namesOf(fields);
          if (names.length === 0 && Object.keys(more).length === 0) return null;
          const was = pick(theirs ?? begun(), names);
          const body = { player_id: player.player_id, ...fields, ...more, was, ...reason };
          return command("edit_player", body, key);
        },
        reason,
        key,
      ),
    conflicts: (stored) => {
      const wanted = changes();
      return conflicting(stored).map((name) => ({
        label: labels()[name],
        theirs: plainText(stored[name]),
        mine: plainText(wanted[name] ?? null),
      }));
    },
    take: (stored) => {
      take?.(pick(stored, conflicting(stored)));
      return take !== undefined;
    },
  });
};

const differing = (wanted: Partial<Editable>, before: Partial<Editable>): Partial<Editable> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => before[name as keyof Editable] !== value),
  );

const NAMES = ["alias_to", "first_name", "last_name", "email"] as const;

export const editConfirmation = (player: StaffPlayer): (() => Confirmation) => {
  const { alias, player_id, has_pfp } = player;
  const edit = openEdit(`edit:${player_id}`, textsOf(player));
  const clear = signal(false);
  const field = (name: (typeof NAMES)[number], label: string) => (
    <Field
      label={label}
      name={name}
      value={edit.shown()[name]}
      required={name === "alias_to"}
      onChange={(value) => edit.set({ [name]: value })}
    />
  );
  const before = (): Partial<Editable> => storedTexts(edit.before(), NAMES);
  const changes = (): Partial<Editable> => differing(storedTexts(edit.shown(), NAMES), before());
  return editing(
    () => ({
      action: "edit_player",
      title: gm.commands.edit_player.title(alias),
      effects: [],
      submit: gm.common.save,
      drafts: [edit.draft],
      fieldsOfCodes: { alias_taken: "alias_to", email_taken: "email" },
      isReady: () => Object.keys(changes()).length > 0 || clear.value,
      fields: (
        <>
          {field("alias_to", gm.commands.edit_player.alias)}
          {field("first_name", gm.commands.edit_player.firstName)}
          {field("last_name", gm.commands.edit_player.lastName)}
          {field("email", gm.commands.edit_player.email)}
          {has_pfp ? (
            <Checkbox
              label={gm.commands.edit_player.clearPicture}
              name="clear_picture"
              {...bindSignal(clear)}
            />
          ) : null}
        </>
      ),
    }),
    {
      player,
      before,
      changes,
      take: (stored) => edit.take(typedTexts(stored)),
      run: async (send) => {
        const after = await send(clear.value ? { clear_picture: true } : {});
        return { text: gm.commands.edit_player.done(after?.alias ?? alias) };
      },
    },
  );
};

const parseLabels = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  ),
];

export const noteConfirmation = (player: StaffPlayer): (() => Confirmation) => {
  const { alias, player_id } = player;
  const edit = openEdit(`note:${player_id}`, textsOf(player));
  const before = (): Partial<Editable> => storedTexts(edit.before(), ["note"]);
  return editing(
    () => ({
      action: "edit_player",
      title: gm.commands.edit_player.noteTitle(alias),
      effects: [],
      submit: gm.common.save,
      drafts: [edit.draft],
      fields: (
        <>
          <TextArea
            label={gm.player.note}
            name="note"
            hint={gm.player.noteHint}
            value={edit.shown().note}
            onChange={(note) => edit.set({ note })}
          />
          <Field
            label={gm.player.labels}
            name="labels"
            hint={gm.player.labelsHint}
            required={false}
            value={edit.shown().labels}
            onChange={(labels) => edit.set({ labels })}
          />
        </>
      ),
    }),
    {
      player,
      before,
      changes: () => differing(storedTexts(edit.shown(), ["note"]), before()),
      take: (stored) => edit.take(typedTexts(stored)),
      run: async (send, reason, key) => {
        // Labels that another game master gives or takes meanwhile stay as they are.
        const labels = parseLabels(edit.before().labels);
        const after = parseLabels(edit.shown().labels);
        const add = after.filter((label) => !labels.includes(label));
        const remove = labels.filter((label) => !after.includes(label));
        const changes = { ...(add.length > 0 ? { add } : {}), ...(remove.length > 0 ? { remove } : {}) };
        if (add.length + remove.length > 0) {
          const body = { aliases: [alias], ...changes, ...reason };
          await command("label", body, `${key}-labels`);
        }
        await send();
        return { text: gm.commands.edit_player.done(alias) };
      },
    },
  );
};

const ROLES = ["player", "moderator", "game_master"] as const;

export const roleConfirmation = (player: StaffPlayer): (() => Confirmation) => {
  const { alias, role } = player;
  const chosen = signal(role);
  return editing(
    () => ({
      action: "edit_player",
      title: gm.commands.edit_player.roleTitle(alias),
      effects: [gm.commands.edit_player.roleEffect[chosen.value]],
      submit: gm.commands.edit_player.role,
      isReady: () => chosen.value !== role,
      fields: (
        <Select
          label={gm.player.role}
          name="role"
          options={ROLES.map((one) => [one, gm.role[one]] as const)}
          {...bindSignal(chosen)}
        />
      ),
    }),
    {
      player,
      // Both rights, so that a role from another game master is not kept beside this one.
      changes: () => ({
        is_admin: chosen.value === "game_master",
        is_moderator: chosen.value === "moderator",
      }),
      run: async (send) => {
        await send();
        return { text: gm.commands.edit_player.roleDone(alias, gm.roleNames[chosen.value]) };
      },
    },
  );
};
