/** POST /admin/void_hunts/{url_id}: undoes several hunts, or those of an alert. */
import { VoidHuntsRequest, VoidHuntsResponse, voidHunts } from "../../lib/app/hunts/voidHunts.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/void_hunts/{url_id}",
  access: "administrator",
  request: { body: VoidHuntsRequest },
  response: { schema: VoidHuntsResponse },
  idempotency: { scope: "player" },
  run: voidHunts,
});
