/** POST /admin/void_hunt/{url_id}: voids a hunt and reverts its effects. */
import { VoidHuntRequest, VoidHuntResponse, voidReportedHunt } from "../../lib/app/hunts/voidHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/void_hunt/{url_id}",
  access: "administrator",
  request: { body: VoidHuntRequest },
  response: { schema: VoidHuntResponse },
  // Its own schema has the reason, which is required there.
  takesReason: false,
  idempotency: { scope: "player" },
  run: (call) => voidReportedHunt(call),
});
