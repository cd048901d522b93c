/** POST /admin/resolve_dispute/{url_id}: decides whether a disputed hunt stands or is void. */
import * as z from "zod/mini";
import { resolveDispute } from "../../lib/app/disputes/resolveDispute.ts";
import { DisputeOutcome, DisputeStatus } from "../../lib/domain/disputes/dispute.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { NoteText } from "../../lib/http/textFields.ts";
import { EffectsView, Timestamp } from "../../lib/http/views.ts";

const ResolveResponse = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  resolved_at: Timestamp,
  /** The effects of the void; none if the hunt stands. */
  effects: EffectsView,
});

export const handler = endpoint({
  route: "POST /admin/resolve_dispute/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ dispute_id: EventId, outcome: DisputeOutcome, note: NoteText }) },
  response: { schema: ResolveResponse },
  idempotency: { scope: "player" },
  decide: (call) => resolveDispute(call, call.body),
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
