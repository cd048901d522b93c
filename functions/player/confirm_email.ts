/** POST /confirm_email: confirms an e-mail address by the token of a mail. */
import * as z from "zod/mini";
import { confirmAddress } from "../../lib/app/accounts/confirmation.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /confirm_email",
  access: "public",
  request: { body: z.strictObject({ token: z.string().check(z.maxLength(200)) }) },
  response: { schema: null },
  run: (call) => confirmAddress(call, call.body.token),
});

export const docs: EndpointDocs = {
  summary: "Confirm an e-mail address",
  description:
    "Confirms the address to which a link was sent. The token is in the fragment of the link, so opening the link sends it nowhere. It is valid for 24 hours, once, and until another link is sent. An address that another account has confirmed is `email_taken`, and that of a ban is `banned`, which only its owner can learn; game masters then decide about the account. Somebody who waits, and had confirmed the same address before they left, comes back as if they had stayed.",
  errors: ["code_not_valid", "email_taken", "banned"],
  fields: { token: "The token of the link." },
  example: { body: (on) => ({ token: on.confirmation }) },
};
