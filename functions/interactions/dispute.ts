/** POST /interactions/dispute/{url_id}: the prey or the hunter disputes a hunt. */
import { DisputeRequest, DisputeResponse, openDispute } from "../../lib/app/disputes/openDispute.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /interactions/dispute/{url_id}",
  access: "player",
  request: { body: DisputeRequest },
  response: { schema: DisputeResponse },
  idempotency: { scope: "player" },
  run: (call) => openDispute(call),
});
