/** POST /admin/void_hunt/{url_id}: voids a hunt and reverts its effects. */
import * as z from "zod/mini";
import { voidReportedHunt } from "../../lib/app/hunts/voidHunt.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { NoteText } from "../../lib/http/textFields.ts";
import { EffectsView, InteractionReturnType } from "../../lib/http/views.ts";

const VoidHuntRequest = z.strictObject({
  interaction_id: EventId,
  dry_run: z.optional(z.boolean()),
  reason: NoteText,
});

const VoidHuntResponse = z.object({
  interaction: z.nullable(InteractionReturnType),
  dry_run: z.boolean(),
  effects: EffectsView,
});

export const handler = endpoint({
  route: "POST /admin/void_hunt/{url_id}",
  access: "administrator",
  request: { body: VoidHuntRequest },
  response: { schema: VoidHuntResponse },
  // `VoidHuntRequest` declares `reason` itself, as a required field.
  takesReason: false,
  idempotency: { scope: "player" },
  decide: (call) => voidReportedHunt(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Void a hunt",
  description: "Reverts a tag that did not happen. A dry run returns the same effects and changes nothing.",
  errors: ["not_found", "wrong_state"],
  fields: {
    dry_run: "`true` changes nothing.",
    interaction: "The interaction that records the void; `null` in a dry run.",
    effects: "What changes for each player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "The number of the hunter's tags afterwards.",
    at: "When the player starved.",
    starves_at: "The deadline afterwards.",
  },
  example: { body: ({ hunt }) => ({ interaction_id: hunt, reason: "Yan was indoors." }) },
};
