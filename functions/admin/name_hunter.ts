/** POST /admin/name_hunter/{url_id}: names the hunter of a tag that its prey reported. */
import { ChangeStateResponse } from "../../lib/app/game/changeState.ts";
import { NameHunterRequest, nameHunter } from "../../lib/app/hunts/enterHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/name_hunter/{url_id}",
  access: "administrator",
  request: { body: NameHunterRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => nameHunter(call),
});
