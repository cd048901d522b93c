/** The commands on a tag: void it, or name its hunter. */
import { openDraft } from "../draft.ts";
import { Field } from "../ui/field.tsx";
import { command, type Interaction, may } from "./calls.ts";
import { type Confirmation, ConfirmButton, PreviewButton } from "./confirmation.tsx";
import { bindSignal } from "./inputs.tsx";
import { voidEffects } from "./previews.ts";
import { gm } from "./texts.ts";

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

const nameConfirmation = (interaction_id: string, guess: string): (() => Confirmation) => {
  const draft = openDraft(`hunter:${interaction_id}`, guess);
  const alias = draft.signal;
  return () => ({
    path: "/admin/name_hunter/{url_id}",
    title: gm.history.nameTitle,
    effects: [gm.history.nameEffect],
    submit: gm.history.name,
    drafts: [draft],
    fieldsOfCodes: { player_not_found: "alias" },
    isReady: () => alias.value.trim() !== "",
    fields: <Field label={gm.do.huntHunter} name="alias" {...bindSignal(alias)} />,
    run: async (reason, key) => {
      const body = { interaction_id, alias: alias.value.trim(), ...reason };
      const { player } = await command("/admin/name_hunter/{url_id}", body, key);
      return { text: gm.history.named(player.alias) };
    },
  });
};

export const EventCommands = ({ event: { interaction_id, kind, details } }: { event: Interaction }) =>
  kind !== "hunt" || details.voided === true || !may("/admin/void_hunt/{url_id}") ? null : (
    <div class="actions event-actions">
      {details.waiting === true ? (
        <ConfirmButton
          path="/admin/name_hunter/{url_id}"
          confirmation={nameConfirmation(interaction_id, details.by_alias ?? "")}
          kind="quiet"
        >
          {gm.history.name}
        </ConfirmButton>
      ) : null}
      <PreviewButton
        path="/admin/void_hunt/{url_id}"
        preview={() => previewVoid(interaction_id)}
        kind="quiet"
      >
        {gm.disputes.voidButton}
      </PreviewButton>
    </div>
  );
