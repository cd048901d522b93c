/** POST /interactions/dispute/{url_id}: opens a dispute about a hunt, or adds the other side's statement. */
import * as z from "zod/mini";
import { openDispute } from "../../lib/app/disputes/openDispute.ts";
import { DisputeStatus } from "../../lib/domain/disputes/dispute.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { StatementText } from "../../lib/http/textFields.ts";
import { InteractionReturnType, Timestamp } from "../../lib/http/views.ts";

const DisputeResponse = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  opened_at: Timestamp,
  interaction: InteractionReturnType,
});

export const handler = endpoint({
  route: "POST /interactions/dispute/{url_id}",
  access: "player",
  changesPlay: true,
  request: { body: z.strictObject({ interaction_id: EventId, reason: StatementText }) },
  response: { schema: DisputeResponse },
  idempotency: { scope: "player" },
  decide: (call) => openDispute(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Dispute a hunt",
  description:
    "The prey or the hunter can dispute a hunt within 24 hours after it was recorded or, if the prey had reported it, completed. While the dispute is open, the other side can add a statement with the same request.",
  errors: ["not_found", "wrong_state"],
  fields: {
    reason: "The caller's statement.",
    dispute_id: "The id of the dispute, which equals the id of the hunt.",
    status: "`open`, or how it was resolved.",
    opened_at: "When the first side disputed it.",
    interaction: "The hunt.",
  },
  example: { as: "zed", body: ({ hunt }) => ({ interaction_id: hunt, reason: "She stood at the gate." }) },
};
