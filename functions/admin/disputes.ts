/** GET /admin/disputes/{url_id}: lists disputes with the statements of both sides. */
import { DisputesQuery, DisputesResponse, listDisputes } from "../../lib/app/disputes/listDisputes.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /admin/disputes/{url_id}",
  access: "moderator",
  request: { query: DisputesQuery },
  response: { schema: DisputesResponse },
  run: (call) => listDisputes(call),
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
