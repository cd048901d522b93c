/** The commands on one player. */
import { signal } from "@preact/signals";
import { isDue } from "../../../state/checkpoints.ts";
import { openDraft } from "../../../state/draft.ts";
import { refresh, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { formatTagCode } from "../../../ui/tagCode.tsx";
import { type Checkpoint, type CommandPath, command, type StaffPlayer, type State } from "../../calls.ts";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { askHidden } from "../../ui/hiddenChoice.tsx";
import { bindSignal } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { editConfirmation, noteConfirmation, roleConfirmation } from "./playerForms.tsx";

const period = (): string => gm.period(snapshot.value?.game.feeding_period_seconds ?? 0);
const zone = (): string => snapshot.value?.game.time_zone ?? "UTC";

type PlayerPath =
  | "/admin/corpsify/{url_id}"
  | "/admin/cure/{url_id}"
  | "/admin/revive_h/{url_id}"
  | "/admin/feed_player/{url_id}"
  | "/admin/make_spectator/{url_id}"
  | "/admin/admit/{url_id}"
  | "/admin/new_tag_code/{url_id}"
  | "/admin/lift_lockout/{url_id}"
  | "/admin/remove_player/{url_id}"
  | "/admin/recover_password/{url_id}";

type Named = Pick<StaffPlayer, "alias" | "player_id">;

interface ConfirmTexts {
  title: string;
  effects: string[];
  submit: string;
  done: string;
}

/** Returns a command whose only parameter is the player. */
const simpleConfirmation = (
  path: PlayerPath,
  { player_id }: Named,
  texts: ConfirmTexts,
  isDestructive = false,
): Confirmation => ({
  path,
  isDestructive,
  ...texts,
  run: async (reason, key) => {
    await command(path, { player_id, ...reason }, key);
    return { text: texts.done };
  },
});

/** Returns the command to feed a zombie. */
export const feedConfirmation = (alias: string): Confirmation => ({
  path: "/admin/feed_player/{url_id}",
  title: gm.do.feedTitle(alias),
  effects: [gm.do.feedEffect(period()), gm.do.push],
  submit: gm.do.feed,
  run: async (reason, key) => {
    await command("/admin/feed_player/{url_id}", { alias, ...reason }, key);
    return { text: gm.do.feedDone(alias) };
  },
});

export const checkInConfirmation = ({ alias, player_id }: Named, { name }: Checkpoint): Confirmation => ({
  path: "/admin/player_at_checkpoint/{url_id}",
  title: gm.do.checkInTitle(alias, name),
  effects: [gm.do.checkInEffect],
  submit: gm.do.checkIn,
  run: async (reason, key) => {
    await command("/admin/player_at_checkpoint/{url_id}", { player_id, ...reason }, key);
    return { text: gm.do.checkInDone(alias) };
  },
});

const previewReviveZombie =
  ({ alias, player_id }: Named) =>
  async (): Promise<Confirmation> => {
    const { field, body } = await askHidden();
    return {
      path: "/admin/revive_z/{url_id}",
      title: gm.do.reviveZombieTitle(alias),
      effects: [gm.do.reviveZombieEffect(period()), gm.do.push],
      submit: gm.do.reviveZombie,
      fields: field,
      run: async (reason, key) => {
        await command("/admin/revive_z/{url_id}", { player_id, ...body(), ...reason }, key);
        return { text: gm.do.reviveZombieDone(alias) };
      },
    };
  };

const recoverConfirmation = ({ alias, player_id }: Named): Confirmation => ({
  path: "/admin/recover_password/{url_id}",
  title: gm.do.recoverTitle(alias),
  effects: [gm.do.recoverEffect],
  submit: gm.do.recoverSubmit,
  run: async (reason) => {
    const { recovery_code } = await command("/admin/recover_password/{url_id}", { player_id, ...reason });
    return { text: gm.do.recoverDone(alias), secret: recovery_code };
  },
});

/** Returns the command that shows a game master who plays the tag code of a player, and so ends their own play. */
export const showSecretsConfirmation = ({ alias, player_id }: Named): Confirmation => ({
  path: "/admin/show_secrets/{url_id}",
  title: gm.do.showSecretsTitle(alias),
  effects: gm.do.showSecretsEffects,
  submit: gm.do.showSecretsSubmit,
  // A reason would be shown to the players concerned.
  reason: "none",
  run: async (_reason, key) => {
    const { player } = await command("/admin/show_secrets/{url_id}", { player_id }, key);
    void refresh().catch(() => {});
    return player.tag_code === null
      ? { text: gm.do.showSecretsOriginal(alias) }
      : { text: gm.do.showSecretsDone(alias), secret: formatTagCode(player.tag_code) };
  },
});

/** Returns the command to enter a tag. @param isHunter whether the player is the hunter rather than the prey */
const huntConfirmation = ({ alias, player_id }: Named, isHunter: boolean): (() => Confirmation) => {
  const others = openDraft(`hunt:${player_id}:${isHunter}`, "");
  const other = others.signal;
  const at = signal<string | null>(null);
  return () => ({
    path: "/admin/hunt/{url_id}",
    title: isHunter ? gm.do.huntTitle(alias) : gm.do.taggedByTitle(alias),
    effects: [gm.do.huntEffect, gm.do.huntOpen],
    submit: gm.do.hunt,
    drafts: [others],
    fieldsOfCodes: { player_not_found: "other", too_early: "hunted_at", not_running: "hunted_at" },
    isReady: () => other.value.trim() !== "",
    fields: (
      <>
        <Field label={isHunter ? gm.do.huntPrey : gm.do.huntHunter} name="other" {...bindSignal(other)} />
        <TimeField label={gm.do.huntAt} name="hunted_at" zone={zone()} {...bindSignal(at)} />
      </>
    ),
    run: async (reason, key) => {
      const when = at.value === null ? {} : { hunted_at: at.value };
      const name = other.value.trim();
      const sides = isHunter ? { hunter: player_id, prey: name } : { hunter: name, prey: player_id };
      const { interaction } = await command("/admin/hunt/{url_id}", { ...sides, ...when, ...reason }, key);
      return { text: gm.do.huntDone(interaction.actor ?? name, interaction.target ?? name) };
    },
  });
};

const banConfirmation = ({ alias }: Named): (() => Confirmation) => {
  const until = signal<string | null>(null);
  return () => ({
    path: "/admin/ban/{url_id}",
    title: gm.do.banTitle(alias),
    effects: [gm.do.banEffect, gm.do.banState],
    submit: gm.do.ban,
    isDestructive: true,
    fields: <TimeField label={gm.do.banUntil} name="until" zone={zone()} {...bindSignal(until)} />,
    run: async (reason, key) => {
      const end = until.value === null ? {} : { until: until.value };
      await command("/admin/ban/{url_id}", { alias, ...end, ...reason }, key);
      return { text: gm.do.banDone(alias) };
    },
  });
};

export type PlayerCommand = {
  path: CommandPath;
  text: string;
  kind?: "primary" | "danger";
} & (
  | { confirmation: Confirmation | (() => Confirmation) }
  | {
      /** Reads what the confirmation depends on. */
      preview: () => Promise<Confirmation>;
    }
);

const offer = (text: string, confirmation: Confirmation, kind?: PlayerCommand["kind"]): PlayerCommand => ({
  path: confirmation.path,
  text,
  confirmation,
  ...(kind === undefined ? {} : { kind }),
});

const isIn = (state: State, ...states: State[]): boolean => states.includes(state);

/** Returns the commands that change a player's state, as far as their current state allows them. */
export const stateCommands = (player: StaffPlayer, checkpoint: Checkpoint | null): PlayerCommand[] => {
  const { state, alias, pending } = player;
  const isOut = isIn(state, "corpse", "spectator") && pending !== true;
  const all: (PlayerCommand | false)[] = [
    pending === true &&
      offer(
        gm.do.admit,
        simpleConfirmation("/admin/admit/{url_id}", player, {
          title: gm.do.admitTitle(alias),
          effects: [gm.do.admitEffect, gm.do.push],
          submit: gm.do.admit,
          done: gm.do.admitDone(alias),
        }),
        "primary",
      ),
    state === "zombie" && offer(gm.do.feed, feedConfirmation(alias), "primary"),
    checkpoint !== null &&
      isDue(checkpoint, player) &&
      offer(gm.do.checkIn, checkInConfirmation(player, checkpoint), "primary"),
    state === "zombie" && {
      path: "/admin/hunt/{url_id}",
      text: gm.do.hunt,
      confirmation: huntConfirmation(player, true),
    },
    state === "human" && {
      path: "/admin/hunt/{url_id}",
      text: gm.do.taggedBy,
      confirmation: huntConfirmation(player, false),
    },
    state === "zombie" &&
      offer(
        gm.do.cure,
        simpleConfirmation(
          "/admin/cure/{url_id}",
          player,
          {
            title: gm.do.cureTitle(alias),
            effects: [gm.do.cureEffect, gm.do.cureKills, gm.do.push],
            submit: gm.do.cure,
            done: gm.do.cureDone(alias),
          },
          true,
        ),
      ),
    isOut &&
      offer(
        gm.do.reviveHuman,
        simpleConfirmation("/admin/revive_h/{url_id}", player, {
          title: gm.do.reviveHumanTitle(alias),
          effects: [gm.do.reviveHumanEffect, gm.do.push],
          submit: gm.do.reviveHuman,
          done: gm.do.reviveHumanDone(alias),
        }),
      ),
    isOut && {
      path: "/admin/revive_z/{url_id}",
      text: gm.do.reviveZombie,
      preview: previewReviveZombie(player),
    },
    state !== "spectator" &&
      offer(
        gm.do.spectator,
        simpleConfirmation(
          "/admin/make_spectator/{url_id}",
          player,
          {
            title: gm.do.spectatorTitle(alias),
            effects: [gm.do.spectatorEffect, gm.do.push],
            submit: gm.do.spectator,
            done: gm.do.spectatorDone(alias),
          },
          true,
        ),
      ),
    isIn(state, "human", "zombie") &&
      offer(
        gm.do.corpsify,
        simpleConfirmation(
          "/admin/corpsify/{url_id}",
          player,
          {
            title: gm.do.corpsifyTitle(alias),
            effects: [gm.do.corpsifyEffect, ...(state === "human" ? [gm.do.corpsifyCode] : []), gm.do.push],
            submit: gm.do.corpsify,
            done: gm.do.corpsifyDone(alias),
          },
          true,
        ),
        "danger",
      ),
  ];
  return all.filter((one) => one !== false);
};

/** Returns the commands on a player's account. */
export const accountCommands = (player: StaffPlayer): PlayerCommand[] => {
  const { state, alias } = player;
  const all: (PlayerCommand | false)[] = [
    { path: "/admin/edit_player/{url_id}", text: gm.do.note, confirmation: noteConfirmation(player) },
    { path: "/admin/edit_player/{url_id}", text: gm.do.edit, confirmation: editConfirmation(player) },
    offer(gm.do.recover, recoverConfirmation(player)),
    state === "human" &&
      offer(
        gm.do.newCode,
        simpleConfirmation("/admin/new_tag_code/{url_id}", player, {
          title: gm.do.newCodeTitle(alias),
          effects: [gm.do.newCodeEffect],
          submit: gm.do.newCode,
          done: gm.do.newCodeDone(alias),
        }),
      ),
    state === "zombie" &&
      offer(
        gm.do.lockout,
        simpleConfirmation("/admin/lift_lockout/{url_id}", player, {
          title: gm.do.lockoutTitle(alias),
          effects: [gm.do.lockoutEffect],
          submit: gm.do.lockout,
          done: gm.do.lockoutDone(alias),
        }),
      ),
    { path: "/admin/edit_player/{url_id}", text: gm.do.role, confirmation: roleConfirmation(player) },
    { path: "/admin/ban/{url_id}", text: gm.do.ban, kind: "danger", confirmation: banConfirmation(player) },
    offer(
      gm.do.remove,
      simpleConfirmation(
        "/admin/remove_player/{url_id}",
        player,
        {
          title: gm.do.removeTitle(alias),
          effects: [gm.do.removeEffect],
          submit: gm.do.remove,
          done: gm.do.removeDone(alias),
        },
        true,
      ),
      "danger",
    ),
  ];
  return all.filter((one) => one !== false);
};
