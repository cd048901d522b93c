/** The commands on a tag: void it, or name its hunter. */
import { signal } from "@preact/signals";
import { openDraft } from "../../../state/draft.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { command, type Interaction, may } from "../../calls.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { bindSignal } from "../../ui/inputs.tsx";
import { voidEffects } from "../../ui/previews.ts";
import { TimeField } from "../../ui/timeField.tsx";

const previewVoid = async ({ interaction_id, actor }: Interaction): Promise<Confirmation> => {
  const title = gm.disputes.voidTitle(actor);
  const dry = await command("void_hunt", { interaction_id, dry_run: true, reason: title });
  return {
    action: "void_hunt",
    title,
    // A dispute has the id of its hunt.
    decides: interaction_id,
    submit: title,
    effects: voidEffects(dry.effects),
    run: async ({ reason = "" }, key) => {
      await command("void_hunt", { interaction_id, reason }, key);
      return { text: gm.history.voided };
    },
  };
};

/** @param isMade whether a game master or a checkpoint has made the zombie, whose infection becomes a tag */
const nameConfirmation = (interaction_id: string, guess: string, isMade: boolean): (() => Confirmation) => {
  const draft = openDraft(`hunter:${interaction_id}`, guess);
  const alias = draft.signal;
  const at = signal<string | null>(null);
  return () => ({
    action: "name_hunter",
    title: gm.history.nameTitle,
    decides: interaction_id,
    effects: [gm.history.nameEffect, ...(isMade ? [gm.history.nameMade] : [])],
    drafts: [draft],
    fieldsOfCodes: { player_not_found: "alias" },
    isReady: () => alias.value.trim() !== "",
    fields: (
      <>
        <Field label={gm.commands.hunt.hunter} name="alias" {...bindSignal(alias)} />
        <TimeField
          label={gm.history.nameAt}
          name="hunted_at"
          zone={snapshot.value?.game.time_zone ?? "UTC"}
          {...bindSignal(at)}
        />
      </>
    ),
    run: async (reason, key) => {
      const when = at.value === null ? {} : { hunted_at: at.value };
      const body = { interaction_id, alias: alias.value.trim(), ...when, ...reason };
      const { player } = await command("name_hunter", body, key);
      return { text: gm.history.named(player.alias) };
    },
  });
};

/** Whether a game master or a checkpoint has made a zombie who still has no hunter. */
const isMade = ({ kind, details }: Interaction): boolean =>
  kind === "revive_zombie" &&
  details.parent_infection_id === null &&
  details.drawn !== true &&
  details.returned !== true;

export const EventCommands = ({ event }: { event: Interaction }) => {
  const { interaction_id, kind, details } = event;
  const isMadeZombie = isMade(event);
  if ((kind !== "hunt" && !isMadeZombie) || details.voided === true || !may("void_hunt")) return null;
  return (
    <div class="actions event-actions">
      {details.waiting === true || isMadeZombie ? (
        <CommandButton
          action="name_hunter"
          kind="quiet"
          confirmation={nameConfirmation(interaction_id, details.by_alias ?? "", isMadeZombie)}
        />
      ) : null}
      {kind === "hunt" ? (
        <CommandButton
          action="void_hunt"
          text={gm.disputes.voidTitle(event.actor)}
          kind="quiet"
          preview={() => previewVoid(event)}
        />
      ) : null}
    </div>
  );
};
