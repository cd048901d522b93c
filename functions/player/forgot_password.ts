/** POST /forgot_password: sends a link to set a new password. */
import * as z from "zod/mini";
import { requestRecovery } from "../../lib/app/accounts/forgotPassword.ts";
import { limitForgotten } from "../../lib/auth/rateLimit.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasOrEmail } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /forgot_password",
  access: "public",
  request: { body: z.strictObject({ alias_or_email: AliasOrEmail }) },
  response: { schema: z.object({ accepted: z.literal(true) }), status: 202 },
  rateLimit: async ({ services, clientAddress, now, isValid }) => {
    if (isValid) await limitForgotten(services, clientAddress, now);
  },
  run: (call) => requestRecovery(call, call.body.alias_or_email),
});

export const docs: EndpointDocs = {
  summary: "Ask for a link to set a new password",
  description:
    "Sends a link to the confirmed address of the account: at most one a minute and five an hour, valid once, for an hour, and until another one is sent. The response is 202 in the same time whether there is such an account or not. A service that sends no mail (`sends_mail` of `/public`) does nothing: a game master helps with `/admin/recover_password`.",
  errors: ["too_many_attempts"],
  success: { 202: "If there is such an account with a confirmed address, a link is on its way." },
  fields: {
    alias_or_email: "The alias, or the e-mail address that the account has confirmed.",
    accepted: "Always `true`.",
  },
  example: { body: { alias_or_email: "Ada" } },
};
