/** POST /admin/comment_dispute/{url_id}: adds a comment to an open dispute. */
import { CommentRequest, CommentResponse, commentOnDispute } from "../../lib/app/disputes/resolveDispute.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/comment_dispute/{url_id}",
  access: "moderator",
  request: { body: CommentRequest },
  response: { schema: CommentResponse },
  idempotency: { scope: "player" },
  run: (call) => commentOnDispute(call),
});
