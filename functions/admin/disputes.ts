/** GET /admin/disputes/{url_id}: lists disputes with the statements of both sides. */
import * as z from "zod/mini";
import { listDisputes } from "../../lib/app/disputes/listDisputes.ts";
import { DISPUTE_STATUSES, DisputeStatus } from "../../lib/domain/disputes/dispute.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { InteractionReturnType, Timestamp } from "../../lib/http/views.ts";

const aliasOrNull = z.nullable(z.string());

const DisputeView = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  opened_at: Timestamp,
  resolved_at: z.nullable(Timestamp),
  resolved_by: aliasOrNull,
  note: z.nullable(z.string()),
  interaction: InteractionReturnType,
  /** `alias` and `statement` are `null` if the author's account is deleted. */
  statements: z.array(
    z.object({
      side: z.enum(["hunter", "prey"]),
      alias: aliasOrNull,
      at: Timestamp,
      statement: z.nullable(z.string()),
    }),
  ),
  comments: z.array(z.object({ alias: aliasOrNull, at: Timestamp, comment: z.nullable(z.string()) })),
});

const DisputesResponse = z.object({
  disputes: z.array(DisputeView),
  next_cursor: z.nullable(z.string()),
});

export const handler = endpoint({
  route: "GET /admin/disputes/{url_id}",
  access: "moderator",
  request: {
    query: z.strictObject({ ...pagingFields(50, 100), status: z.optional(z.enum(DISPUTE_STATUSES)) }),
  },
  response: { schema: DisputesResponse },
  read: (call) => {
    const { cursor, ...wanted } = call.query;
    const scope = { list: "disputes", filters: { status: wanted.status } };
    return paged(call.services, scope, cursor, (before) => listDisputes(call, wanted, before));
  },
});

export const docs: EndpointDocs = {
  summary: "List disputes",
  description: "Disputed hunts with the statements of both sides, newest first, open before resolved.",
  fields: {
    status: "`open`, or how the dispute was resolved.",
    disputes: "A page of disputes.",
    dispute_id: "The id of the dispute, which equals the id of the hunt.",
    opened_at: "When the first side disputed it.",
    resolved_at: "When it was resolved; `null` before.",
    resolved_by: "The alias of the game master who resolved it; `null` before, or if they have left.",
    note: "Why it was resolved this way.",
    interaction: "The hunt.",
    statements: "The statements of both sides, oldest first.",
    side: "The side that made the statement.",
    statement: "The text; `null` if its author has left.",
    comments: "The comments of game masters and moderators, oldest first.",
    comment: "The text; `null` if its author has left.",
  },
  example: {},
};
