/** POST /admin/void_hunt/{url_id}: voids a hunt and reverts its effects. */
import { VoidHuntRequest, VoidHuntResponse, voidReportedHunt } from "../../lib/app/hunts/voidHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/void_hunt/{url_id}",
  access: "administrator",
  request: { body: VoidHuntRequest },
  response: { schema: VoidHuntResponse },
  idempotency: { scope: "player" },
  run: (call) => voidReportedHunt(call),
});
