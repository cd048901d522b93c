/** POST /admin/unban/{url_id}: lifts a ban. */
import { UnbanRequest, UnbanResponse, unban } from "../../lib/app/accounts/bans.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/unban/{url_id}",
  access: "administrator",
  request: { body: UnbanRequest },
  response: { schema: UnbanResponse },
  idempotency: { scope: "player" },
  run: (call) => unban(call),
});

export const docs: EndpointDocs = {
  summary: "Lift a ban",
  description: "The person can register and log in again.",
  errors: ["not_found"],
  fields: {
    ban_id: "The id of the ban.",
    alias: "The banned alias, or one that the banned player had given up.",
    lifted: "How many bans were lifted.",
  },
  example: { body: { alias: "Mallory" } },
};
