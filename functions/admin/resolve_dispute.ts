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
    "Decides whether a disputed hunt stands or is void. A void has the same effects as that of `void_hunt`. Both sides are told by a push.",
  errors: ["not_found", "wrong_state"],
  fields: {
    dispute_id: "The id of the dispute.",
    outcome: "`void` voids the hunt, `stands` leaves it.",
    note: "Why, for both sides.",
    status: "The status of the dispute.",
    resolved_at: "When it was resolved.",
    effects: "What a void changes for each player.",
    effect: "What changes; docs/api.md explains each value.",
    kills: "The hunter's tags after it.",
    at: "When the player starved.",
    starves_at: "The deadline after it.",
  },
  example: { body: ({ hunt }) => ({ dispute_id: hunt, outcome: "void", note: "Yan was indoors." }) },
};
