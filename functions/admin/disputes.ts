/** GET /admin/disputes/{url_id}: disputes with both sides, open ones first. */
import { DisputesQuery, DisputesResponse, listDisputes } from "../../lib/app/disputes/listDisputes.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /admin/disputes/{url_id}",
  access: "moderator",
  request: { query: DisputesQuery },
  response: { schema: DisputesResponse },
  run: (call) => listDisputes(call),
});
