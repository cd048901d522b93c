/** The commands on a tag: void it, or name its hunter. */
import { signal } from "@preact/signals";
import { Field } from "../ui/field.tsx";
import { command, type Interaction, may } from "./calls.ts";
import { bindSignal } from "./inputs.tsx";
import { type Plan, PlanButton, PreviewButton } from "./plan.tsx";
import { voidEffects } from "./previews.ts";
import { gm } from "./texts.ts";

const previewVoid = async (interaction_id: string): Promise<Plan> => {
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

const namePlan = (interaction_id: string, guess: string): (() => Plan) => {
  const alias = signal(guess);
  return () => ({
    path: "/admin/name_hunter/{url_id}",
    title: gm.history.nameTitle,
    effects: [gm.history.nameEffect],
    submit: gm.history.name,
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
        <PlanButton
          path="/admin/name_hunter/{url_id}"
          plan={namePlan(interaction_id, details.by_alias ?? "")}
          kind="quiet"
        >
          {gm.history.name}
        </PlanButton>
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
