/** POST /admin/undo_redemption/{url_id}: takes back what a code gave. */
import * as z from "zod/mini";
import { undoRedemption } from "../../lib/app/rewards/undoRedemption.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { EffectsView, InteractionReturnType } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/undo_redemption/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ redemption_id: EventId, dry_run: z.optional(z.boolean()) }) },
  response: {
    schema: z.object({
      interaction: z.nullable(InteractionReturnType),
      dry_run: z.boolean(),
      effects: EffectsView,
    }),
  },
  idempotency: { scope: "player" },
  decide: (call) => undoRedemption(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Undo a redemption",
  description:
    "Takes back what a code gave, and gives the use back to the code: as if the player had not redeemed it, and they can do so again. An antidote is taken back while the player is still the human whom it made. A dry run returns the same effects and changes nothing.",
  errors: ["not_found", "wrong_state"],
  fields: {
    redemption_id: "The id of the redemption.",
    dry_run: "`true` changes nothing.",
    interaction: "The interaction that records it; `null` in a dry run.",
    effects: "What changes for the player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "Never here.",
    at: "When the player starved.",
    starves_at: "The deadline afterwards.",
  },
  example: { body: ({ redemption }) => ({ redemption_id: redemption, dry_run: true }) },
};
