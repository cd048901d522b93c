/** POST /admin/resolve_dispute/{url_id}: decides whether a disputed hunt stands or is void. */
import { ResolveRequest, ResolveResponse, resolveDispute } from "../../lib/app/disputes/resolveDispute.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/resolve_dispute/{url_id}",
  access: "administrator",
  request: { body: ResolveRequest },
  response: { schema: ResolveResponse },
  idempotency: { scope: "player" },
  run: (call) => resolveDispute(call),
});

export const docs: EndpointDocs = {
  summary: "Resolve a dispute",
  description:
    "Decides whether a disputed hunt stands or is void. Voiding has the same effects as `void_hunt`. Both sides get a push notification.",
  errors: ["not_found", "wrong_state"],
  fields: {
    dispute_id: "The id of the dispute.",
    outcome: "`void` voids the hunt; `stands` leaves it unchanged.",
    note: "The reason, which both sides see.",
    status: "The status of the dispute.",
    resolved_at: "When it was resolved.",
    effects: "What voiding changes for each player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "The number of the hunter's tags afterwards.",
    at: "When the player starved.",
    starves_at: "The deadline afterwards.",
  },
  example: { body: ({ hunt }) => ({ dispute_id: hunt, outcome: "void", note: "Yan was indoors." }) },
};
