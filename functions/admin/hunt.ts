/** POST /admin/hunt/{url_id}: enters a tag for a zombie who cannot report it. */
import { ChangeStateResponse } from "../../lib/app/game/changeState.ts";
import { EnterHuntRequest, enterHunt } from "../../lib/app/hunts/enterHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/hunt/{url_id}",
  access: "administrator",
  request: { body: EnterHuntRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => enterHunt(call),
});
