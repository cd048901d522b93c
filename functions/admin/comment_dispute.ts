/** POST /admin/comment_dispute/{url_id}: adds a comment to an open dispute. */
import { CommentRequest, CommentResponse, commentOnDispute } from "../../lib/app/disputes/resolveDispute.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/comment_dispute/{url_id}",
  access: "moderator",
  request: { body: CommentRequest },
  response: { schema: CommentResponse },
  idempotency: { scope: "player" },
  run: (call) => commentOnDispute(call),
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
