/**
 * POST /change_password: sets a new password and ends all of the player's sessions and push subscriptions. With a recovery
 * code, a new session is opened.
 */
import * as z from "zod/mini";
import { changePassword } from "../../lib/app/accounts/changePassword.ts";
import type { LoggedIn } from "../../lib/auth/login.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import {
  AliasOrEmail,
  DeviceToken,
  exactlyOneOf,
  NewPassword,
  newPasswordIssues,
  Password,
} from "../../lib/http/fields.ts";
import { LoginReturn, loginView } from "../../lib/http/login.ts";

const ChangePassword = z
  .strictObject({
    alias: AliasOrEmail,
    current_password: z.optional(Password),
    recovery_code: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
    new_password: NewPassword,
    device_token: DeviceToken,
  })
  .check(exactlyOneOf("current_password", "recovery_code"));

export const handler = endpoint({
  route: "POST /change_password",
  access: "public",
  request: { body: ChangePassword },
  response: { schema: z.optional(LoginReturn) },
  action: "change_password",
  validate: (body) => newPasswordIssues(body, "new_password"),
  run: (call) => changePassword(call, call.body),
  view: (loggedIn: LoggedIn | undefined) => loggedIn && loginView(loggedIn),
});

export const docs: EndpointDocs = {
  summary: "Change the password",
  description:
    "Requires exactly one of `current_password` and `recovery_code`. Ends all sessions and push subscriptions of the player and invalidates recovery codes. If the service sends mail, the owner is told at their confirmed address.",
  errors: ["bad_credentials", "banned", "too_many_attempts"],
  success: { 204: "The password is changed.", 200: "With a recovery code: a new session." },
  fields: {
    current_password: "The current password.",
    recovery_code:
      "A code from `/admin/recover_password`, or from the link that `/forgot_password` sends; valid once, also with an alias that the player has given up since.",
    new_password: "The new password: 8 to 128 characters, neither a common password nor the alias.",
  },
  example: {
    body: { alias: "Ada", current_password: "correct horse battery", new_password: "staple the zombies" },
  },
};
