/** POST /zombie/hunt/{url_id}: a zombie reports the tag code of a human whom it has tagged. */
import { HuntRequest, HuntResponse, reportHunt } from "../../lib/app/hunts/reportHunt.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /zombie/hunt/{url_id}",
  access: "player",
  request: { body: HuntRequest },
  response: { schema: HuntResponse },
  idempotency: { scope: "player" },
  run: (call) => reportHunt(call),
});
