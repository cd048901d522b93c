/** POST /admin/comment_dispute/{url_id}: adds a comment to an open dispute. */
import * as z from "zod/mini";
import { commentOnDispute } from "../../lib/app/disputes/resolveDispute.ts";
import { DisputeStatus } from "../../lib/domain/disputes/dispute.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { StatementText } from "../../lib/http/textFields.ts";

export const handler = endpoint({
  route: "POST /admin/comment_dispute/{url_id}",
  access: "moderator",
  request: { body: z.strictObject({ dispute_id: EventId, comment: StatementText }) },
  response: {
    schema: z.object({ dispute_id: z.string(), status: DisputeStatus, comments: z.int() }),
  },
  idempotency: { scope: "player" },
  decide: (call) => commentOnDispute(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Comment on a dispute",
  description:
    "Adds a comment to an open dispute, for game masters and moderators. Moderators cannot comment on disputes of their own hunts and tags.",
  errors: ["not_found", "wrong_state", "ask_game_master"],
  fields: {
    dispute_id: "The id of the dispute.",
    comment: "The text of the comment.",
    status: "The status of the dispute.",
    comments: "How many comments it has.",
  },
  example: { body: ({ hunt }) => ({ dispute_id: hunt, comment: "Ben saw it." }) },
};
