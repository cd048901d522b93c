/** POST /admin/void_hunts/{url_id}: voids several hunts, or those of an alert. */
import * as z from "zod/mini";
import { voidHunts } from "../../lib/app/hunts/voidHunts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, exactlyOneOf } from "../../lib/http/fields.ts";
import { EffectsView } from "../../lib/http/views.ts";

const MAX_HUNTS = 100;

const VoidHuntsRequest = z
  .strictObject({
    interaction_ids: z.optional(
      z.array(EventId).check(
        z.minLength(1),
        z.maxLength(MAX_HUNTS),
        z.refine((ids) => new Set(ids).size === ids.length, "must not have an id twice"),
      ),
    ),
    alert_id: z.optional(EventId),
    dry_run: z.optional(z.boolean()),
  })
  .check(exactlyOneOf("interaction_ids", "alert_id"));

const VoidHuntsResponse = z.object({
  dry_run: z.boolean(),
  voided: z.int(),
  hunts: z.array(
    z.object({
      interaction_id: z.string(),
      outcome: z.enum(["voided", "not_found", "wrong_state"]),
      effects: EffectsView,
    }),
  ),
});

export const handler = endpoint({
  route: "POST /admin/void_hunts/{url_id}",
  access: "administrator",
  request: { body: VoidHuntsRequest },
  response: { schema: VoidHuntsResponse },
  idempotency: { scope: "player" },
  run: (call) => voidHunts(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Void several hunts",
  description:
    "Voids up to 100 hunts, or those of an alert, each as `void_hunt` does, latest first. If time runs out, some hunts are voided and the response is 503; repeat the request to continue.",
  errors: ["not_found"],
  fields: {
    interaction_ids: "The ids of the hunts. Exactly one of `interaction_ids` and `alert_id` is required.",
    alert_id: "The alert whose hunts are voided.",
    dry_run: "`true` changes nothing and returns the effects that voiding the hunts in order would have.",
    voided: "How many hunts were voided or, with `dry_run`, would be.",
    hunts: "The hunts, in the order of the request.",
    outcome:
      "Hunts with `not_found` or `wrong_state`, for example because they are void already, are left unchanged.",
    effects: "What changes for each player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "The number of the hunter's tags afterwards.",
    at: "When the player starved.",
    starves_at: "The deadline afterwards.",
  },
  example: { body: ({ hunt }) => ({ interaction_ids: [hunt], dry_run: true }) },
};
