/** POST /admin/send_mail/{url_id}: sends a mail again, or a test to the game master. */
import * as z from "zod/mini";
import { sendMailAgain } from "../../lib/app/mail/manageMails.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { atMostOneOf, EventId } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/send_mail/{url_id}",
  access: "administrator",
  request: {
    body: z
      .strictObject({ mail_id: z.optional(EventId), sample: z.optional(z.literal("invite")) })
      .check(atMostOneOf("mail_id", "sample")),
  },
  response: { schema: null },
  idempotency: { scope: "player" },
  decide: (call) => sendMailAgain(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Send a mail again, or a test to oneself",
  description:
    "Without `mail_id`, sends a test to the address of the caller; with `sample`, the test is such a mail as its recipients get it, whose link does not work. With `mail_id`, sends a mail again that has failed, bounced or was dropped, once, as a new mail: it is written by what is true then, and dropped again if the reason still holds. A new link to confirm an address voids the one before, and counts like one that the player asks for. Links for a forgotten password, and messages to a former address, cannot be sent again: what was typed is not kept.",
  errors: ["not_found", "wrong_state"],
  fields: {
    mail_id: "The id of the mail to send again; absent for a test.",
    sample: "Of a test: `invite` for an invitation.",
  },
  example: { body: (on) => ({ mail_id: on.mail }) },
};
