/** POST /unsubscribe_email: switches off a kind of mails, by the token of one (RFC 8058). */
import * as z from "zod/mini";
import { unsubscribeEmail } from "../../lib/app/accounts/unsubscribeEmail.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { readOneClick } from "../../lib/http/oneClick.ts";

export const handler = endpoint({
  route: "POST /unsubscribe_email",
  access: "public",
  request: {
    body: z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
    parseBody: readOneClick,
    query: z.strictObject({ token: z.string().check(z.maxLength(200)) }),
  },
  response: { schema: null },
  run: (call) => unsubscribeEmail(call, call.query.token),
});

export const docs: EndpointDocs = {
  summary: "Switch off a kind of mails",
  description:
    "The address of `List-Unsubscribe` in mails that can be switched off, such as announcements, to which programs of mail send a form (RFC 8058): `List-Unsubscribe=One-Click`, as a form or as JSON. It switches off that kind of mails to the player who got it, and no other. The token is valid as long as the key of the deployment, and as often as it is sent. With GET, the address leads to a page that asks, and changes nothing. The player can switch the mails on again (`mail_kinds` of `/edit_player`).",
  errors: ["code_not_valid"],
  fields: { token: "The token of the mail.", "List-Unsubscribe": "Always `One-Click`." },
  example: { query: (on) => ({ token: on.unsubscribe }), body: { "List-Unsubscribe": "One-Click" } },
};
