/** The commands on one player. */
import { signal } from "@preact/signals";
import { isPossible } from "../../../../../lib/domain/players/states.ts";
import { isDue } from "../../../state/checkpoints.ts";
import { openDraft } from "../../../state/draft.ts";
import { refresh, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { formatCode } from "../../../ui/tagCode.tsx";
import { type Checkpoint, command, type StaffPlayer } from "../../calls.ts";
import type { CommandButtonProps } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { askHidden } from "../../ui/hiddenChoice.tsx";
import { bindSignal } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { takeBackOthers } from "../../ui/toasts.tsx";
import { editConfirmation, noteConfirmation, roleConfirmation } from "./playerForms.tsx";

const period = (): string => gm.period(snapshot.value?.game.feeding_period_seconds ?? 0);
const zone = (): string => snapshot.value?.game.time_zone ?? "UTC";

type Named = Pick<StaffPlayer, "alias" | "player_id">;

/** The commands whose only parameter is the player, and whether they decide what the player is. */
const DECIDES = {
  admit: true,
  corpsify: true,
  cure: true,
  lift_lockout: false,
  make_spectator: true,
  new_tag_code: false,
  remove_player: false,
  revive_h: true,
};

const simple = (
  action: keyof typeof DECIDES,
  { alias, player_id }: Named,
  moreEffects: string[] = [],
  kind?: "primary" | "danger",
): CommandButtonProps => {
  const { title, effect, done } = gm.commands[action];
  return {
    action,
    ...(kind === undefined ? {} : { kind }),
    confirmation: {
      action,
      title: title(alias),
      decides: DECIDES[action] ? alias : undefined,
      effects: [effect, ...moreEffects],
      run: async (reason, key) => {
        await command(action, { player_id, ...reason }, key);
        return { text: done(alias) };
      },
    },
  };
};

/** Returns the command to feed a zombie. */
export const feedConfirmation = (alias: string): Confirmation => ({
  action: "feed_player",
  title: gm.commands.feed_player.title(alias),
  effects: [gm.commands.feed_player.effect(period()), gm.push],
  run: async (reason, key) => {
    await command("feed_player", { alias, ...reason }, key);
    return { text: gm.commands.feed_player.done(alias) };
  },
});

const checkInConfirmation = ({ alias, player_id }: Named, { name }: Checkpoint): Confirmation => ({
  action: "player_at_checkpoint",
  title: gm.commands.player_at_checkpoint.title(alias, name),
  effects: [gm.commands.player_at_checkpoint.effect],
  run: async (reason, key) => {
    await command("player_at_checkpoint", { player_id, ...reason }, key);
    return { text: gm.commands.player_at_checkpoint.done(alias) };
  },
});

const previewReviveZombie =
  ({ alias, player_id }: Named) =>
  async (): Promise<Confirmation> => {
    const { field, body } = await askHidden();
    return {
      action: "revive_z",
      title: gm.commands.revive_z.title(alias),
      decides: alias,
      effects: [gm.commands.revive_z.effect(period()), gm.push],
      fields: field,
      run: async (reason, key) => {
        await command("revive_z", { player_id, ...body(), ...reason }, key);
        return { text: gm.commands.revive_z.done(alias) };
      },
    };
  };

const recoverConfirmation = ({ alias, player_id }: Named): Confirmation => ({
  action: "recover_password",
  title: gm.commands.recover_password.title(alias),
  effects: [gm.commands.recover_password.effect],
  submit: gm.commands.recover_password.submit,
  run: async (reason) => {
    const { recovery_code } = await command("recover_password", { player_id, ...reason });
    return { text: gm.commands.recover_password.done(alias), secret: recovery_code };
  },
});

/** Returns the command that shows a game master who plays the tag code of a player, and so ends their own play. */
export const showSecretsConfirmation = ({ alias, player_id }: Named): Confirmation => {
  const { title, effects, submit, done, original } = gm.commands.show_secrets;
  return {
    action: "show_secrets",
    title: title(alias),
    effects,
    submit,
    run: async (_reason, key) => {
      const { player } = await command("show_secrets", { player_id }, key);
      void refresh().catch(() => {});
      return player.tag_code === null
        ? { text: original(alias) }
        : { text: done(alias), secret: formatCode(player.tag_code) };
    },
  };
};

/** Returns the command to enter a tag. @param isHunter whether the player is the hunter rather than the prey */
const huntConfirmation = ({ alias, player_id }: Named, isHunter: boolean): (() => Confirmation) => {
  const others = openDraft(`hunt:${player_id}:${isHunter}`, "");
  const other = others.signal;
  const at = signal<string | null>(null);
  const texts = gm.commands.hunt;
  return () => ({
    action: "hunt",
    title: isHunter ? texts.title(alias) : texts.taggedByTitle(alias),
    decides: isHunter ? undefined : alias,
    effects: texts.effects,
    drafts: [others],
    fieldsOfCodes: { player_not_found: "other", too_early: "hunted_at", not_running: "hunted_at" },
    isReady: () => other.value.trim() !== "",
    fields: (
      <>
        <Field label={isHunter ? texts.prey : texts.hunter} name="other" {...bindSignal(other)} />
        <TimeField label={texts.at} name="hunted_at" zone={zone()} {...bindSignal(at)} />
      </>
    ),
    run: async (reason, key) => {
      const when = at.value === null ? {} : { hunted_at: at.value };
      const name = other.value.trim();
      const sides = isHunter ? { hunter: player_id, prey: name } : { hunter: name, prey: player_id };
      const { interaction } = await command("hunt", { ...sides, ...when, ...reason }, key);
      // A page of the hunter knows the prey only now.
      takeBackOthers({ decides: interaction.target ?? undefined }, key);
      return { text: texts.done(interaction.actor ?? name, interaction.target ?? name) };
    },
  });
};

const banConfirmation = ({ alias, player_id }: Named): (() => Confirmation) => {
  const until = signal<string | null>(null);
  const texts = gm.commands.ban;
  return () => ({
    action: "ban",
    title: texts.title(alias),
    // It does not decide what the player is.
    decides: `ban:${player_id}`,
    effects: texts.effects,
    fields: <TimeField label={texts.until} name="until" zone={zone()} {...bindSignal(until)} />,
    run: async (reason, key) => {
      const end = until.value === null ? {} : { until: until.value };
      await command("ban", { alias, ...end, ...reason }, key);
      return { text: texts.done(alias) };
    },
  });
};

const possible = (all: readonly (CommandButtonProps | false)[]): CommandButtonProps[] =>
  all.filter((one) => one !== false);

/** Returns the commands that change a player's state, as far as their current state allows them. */
export const stateCommands = (player: StaffPlayer, checkpoint: Checkpoint | null): CommandButtonProps[] => {
  const { state, alias, pending } = player;
  const mayRevive = isPossible("revive_h", state) && pending !== true;
  const { commands } = gm;
  return possible([
    pending === true && simple("admit", player, [gm.push], "primary"),
    state === "zombie" && { action: "feed_player", kind: "primary", confirmation: feedConfirmation(alias) },
    checkpoint !== null &&
      isDue(checkpoint, player) && {
        action: "player_at_checkpoint",
        kind: "primary",
        confirmation: checkInConfirmation(player, checkpoint),
      },
    state === "zombie" && { action: "hunt", confirmation: huntConfirmation(player, true) },
    state === "human" && {
      action: "hunt",
      text: commands.hunt.taggedBy,
      confirmation: huntConfirmation(player, false),
    },
    isPossible("cure", state) && simple("cure", player, [commands.cure.kills, gm.push]),
    mayRevive && simple("revive_h", player, [gm.push]),
    mayRevive && { action: "revive_z", preview: previewReviveZombie(player) },
    isPossible("make_spectator", state) && simple("make_spectator", player, [gm.push]),
    isPossible("corpsify", state) &&
      simple("corpsify", player, [...(state === "human" ? [commands.corpsify.code] : []), gm.push], "danger"),
  ]);
};

/** Returns the commands on a player's account. */
export const accountCommands = (player: StaffPlayer): CommandButtonProps[] => {
  const texts = gm.commands.edit_player;
  return possible([
    { action: "edit_player", text: texts.note, confirmation: noteConfirmation(player) },
    { action: "edit_player", confirmation: editConfirmation(player) },
    { action: "recover_password", confirmation: recoverConfirmation(player) },
    player.state === "human" && simple("new_tag_code", player),
    player.state === "zombie" && simple("lift_lockout", player),
    { action: "edit_player", text: texts.role, confirmation: roleConfirmation(player) },
    { action: "ban", kind: "danger", confirmation: banConfirmation(player) },
    simple("remove_player", player, [], "danger"),
  ]);
};
