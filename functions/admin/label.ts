/** POST /admin/label/{url_id}: gives labels to players, and takes them away. */
import { LabelRequest, LabelResponse, labelPlayers } from "../../lib/app/accounts/labelPlayers.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/label/{url_id}",
  access: "administrator",
  request: { body: LabelRequest },
  response: { schema: LabelResponse },
  idempotency: { scope: "player" },
  run: (call) => labelPlayers(call),
});
