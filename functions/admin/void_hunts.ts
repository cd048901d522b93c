/** POST /admin/void_hunts/{url_id}: voids several hunts, or those of an alert. */
import { VoidHuntsRequest, VoidHuntsResponse, voidHunts } from "../../lib/app/hunts/voidHunts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/void_hunts/{url_id}",
  access: "administrator",
  request: { body: VoidHuntsRequest },
  response: { schema: VoidHuntsResponse },
  idempotency: { scope: "player" },
  run: voidHunts,
});

export const docs: EndpointDocs = {
  summary: "Void several hunts",
  description:
    "Voids up to 100 hunts, or those of an alert, the latest first, each as `void_hunt` does. A call that runs out of time is 503 and has voided some of them; the same request continues.",
  errors: ["not_found"],
  fields: {
    interaction_ids: "The ids of the hunts. Exactly one of this and `alert_id` is required.",
    alert_id: "The alert whose hunts are voided.",
    dry_run: "`true` changes nothing, and says what the voids would do, one after the other.",
    voided: "How many hunts were, or would be, voided.",
    hunts: "The hunts, in the order of the request.",
    outcome: "`not_found` and `wrong_state`, such as of one that is void already, are left as they are.",
    effects: "What changes for each player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "The hunter's tags after it.",
    at: "When the player starved.",
    starves_at: "The deadline after it.",
  },
  example: { body: ({ hunt }) => ({ interaction_ids: [hunt], dry_run: true }) },
};
