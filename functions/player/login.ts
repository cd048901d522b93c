/** POST /login: opens a session with the player's password. */
import * as z from "zod/mini";
import { logIn } from "../../lib/app/accounts/logIn.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasOrEmail, DeviceToken, Password } from "../../lib/http/fields.ts";
import { Cookie, LoginReturn, loginView, openWithCookie } from "../../lib/http/login.ts";

const Login = z.strictObject({
  alias: AliasOrEmail,
  password: Password,
  device_token: DeviceToken,
  cookie: Cookie,
});

export const handler = endpoint({
  route: "POST /login",
  access: "public",
  request: { body: Login },
  response: { schema: LoginReturn },
  action: "login",
  run: (call) => openWithCookie(call, () => logIn(call, call.body)),
  view: loginView,
});

export const docs: EndpointDocs = {
  summary: "Log in",
  description:
    "Opens a session. `alias` may also be the confirmed e-mail address of an account. A player has at most 20; a new one replaces the oldest. After five failures, further attempts are delayed.",
  errors: ["bad_credentials", "banned", "too_many_attempts"],
  example: { body: { alias: "Ada", password: "correct horse battery", cookie: true } },
};
