/** POST /admin/lift_suppression/{url_id}: sends mails to a refused address again. */
import { liftSuppression } from "../../lib/app/mail/manageMails.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/lift_suppression/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: null },
  idempotency: { scope: "player" },
  decide: (call) => liftSuppression(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Send mails to a refused address again",
  description:
    "A mail server has refused the player's address, so no mail is sent to it. After this, mails are sent again; the next refusal stops them again. Mails that were dropped meanwhile are not sent by themselves: `/admin/send_mail` does that.",
  errors: ["not_found"],
  example: { body: { alias: "Zed" } },
};
