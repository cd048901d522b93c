/** POST /admin/admit/{url_id}: lets newcomers play who wait for it. */
import { AdmitRequest, AdmitResponse, admitPlayers } from "../../lib/app/accounts/admit.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/admit/{url_id}",
  access: "administrator",
  request: { body: AdmitRequest },
  response: { schema: AdmitResponse },
  idempotency: { scope: "player" },
  run: (call) => admitPlayers(call),
});
