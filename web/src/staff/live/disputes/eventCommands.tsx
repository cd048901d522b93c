/** The commands on a tag: void it, or name its hunter. */
import { signal } from "@preact/signals";
import { openDraft } from "../../../state/draft.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { command, type Interaction, may } from "../../calls.ts";
import { type Confirmation, ConfirmButton, PreviewButton } from "../../ui/confirmation.tsx";
import { bindSignal } from "../../ui/inputs.tsx";
import { voidEffects } from "../../ui/previews.ts";
import { TimeField } from "../../ui/timeField.tsx";

const previewVoid = async (interaction_id: string): Promise<Confirmation> => {
  const path = "/admin/void_hunt/{url_id}";
  const dry = await command(path, { interaction_id, dry_run: true, reason: gm.disputes.voidTitle });
  return {
    path,
    title: gm.disputes.voidTitle,
    effects: voidEffects(dry.effects),
    submit: gm.disputes.voidButton,
    isDestructive: true,
    reason: "required",
    run: async ({ reason = "" }, key) => {
      await command(path, { interaction_id, reason }, key);
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
    path: "/admin/name_hunter/{url_id}",
    title: gm.history.nameTitle,
    effects: [gm.history.nameEffect, ...(isMade ? [gm.history.nameMade] : [])],
    submit: gm.history.name,
    drafts: [draft],
    fieldsOfCodes: { player_not_found: "alias" },
    isReady: () => alias.value.trim() !== "",
    fields: (
      <>
        <Field label={gm.do.huntHunter} name="alias" {...bindSignal(alias)} />
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
      const { player } = await command("/admin/name_hunter/{url_id}", body, key);
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
  if ((kind !== "hunt" && !isMadeZombie) || details.voided === true || !may("/admin/void_hunt/{url_id}"))
    return null;
  return (
    <div class="actions event-actions">
      {details.waiting === true || isMadeZombie ? (
        <ConfirmButton
          path="/admin/name_hunter/{url_id}"
          confirmation={nameConfirmation(interaction_id, details.by_alias ?? "", isMadeZombie)}
          kind="quiet"
        >
          {gm.history.name}
        </ConfirmButton>
      ) : null}
      {kind === "hunt" ? (
        <PreviewButton
          path="/admin/void_hunt/{url_id}"
          preview={() => previewVoid(interaction_id)}
          kind="quiet"
        >
          {gm.disputes.voidButton}
        </PreviewButton>
      ) : null}
    </div>
  );
};
