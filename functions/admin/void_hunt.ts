/** POST /admin/void_hunt/{url_id}: voids a hunt and reverts its effects. */
import { VoidAnswer, VoidHunt, voidReportedHunt } from "../../lib/app/hunts/voidHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/void_hunt/{url_id}",
  access: "administrator",
  request: { body: VoidHunt },
  response: { schema: VoidAnswer },
  idempotency: { scope: "player" },
  run: (call) => voidReportedHunt(call),
});
