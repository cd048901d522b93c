/** POST /admin/unban/{url_id}: lifts a ban. */
import * as z from "zod/mini";
import { unban } from "../../lib/app/accounts/bans.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, EventId, exactlyOneOf, NewAlias } from "../../lib/http/fields.ts";

const UnbanRequest = z
  .strictObject({ alias: z.optional(NewAlias), email: z.optional(Email), ban_id: z.optional(EventId) })
  .check(exactlyOneOf("alias", "email", "ban_id"));

export const handler = endpoint({
  route: "POST /admin/unban/{url_id}",
  access: "administrator",
  request: { body: UnbanRequest },
  response: { schema: z.object({ lifted: z.int() }) },
  idempotency: { scope: "player" },
  decide: (call) => unban(call, call.body),
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
