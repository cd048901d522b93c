/** POST /admin/recover_password/{url_id}: issues a one-time code to set a new password. */
import * as z from "zod/mini";
import { issueRecoveryCode } from "../../lib/app/accounts/recoverPassword.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/recover_password/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: z.object({ alias: z.string(), recovery_code: z.string(), expires_at: Timestamp }) },
  decide: (call) => issueRecoveryCode(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Issue a recovery code",
  description:
    "With the code, the player can set a new password at `/change_password`, once and within 60 minutes. Issuing another code invalidates it.",
  fields: {
    recovery_code: "The code with which the player sets a new password.",
    expires_at: "When it expires.",
  },
  example: { body: { alias: "Ben" } },
};
