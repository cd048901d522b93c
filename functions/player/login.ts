/** POST /login: opens a session with the player's password. */
import * as z from "zod/mini";
import { Cookie, LoginReturn, loginReturn, openWithCookie } from "../../lib/app/accounts/loginReturn.ts";
import { openSession } from "../../lib/auth/login.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../lib/auth/loginAttempts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, DeviceToken, Password } from "../../lib/http/fields.ts";

const Login = z.strictObject({
  alias: AliasRef,
  password: Password,
  device_token: DeviceToken,
  cookie: Cookie,
});

export const handler = endpoint({
  route: "POST /login",
  access: "public",
  request: { body: Login },
  response: { schema: LoginReturn },
  audited: true,
  run: async (call) => {
    const { body, now, audit, services, clientAddress } = call;
    const check = passwordChecker(body.password, services.cost);
    const onLoaded = ({ player }: LoginContext) => {
      audit.target = player?.player_id ?? null;
    };
    const decide = async (loaded: LoginContext) => {
      const account = await check(loaded);
      audit.actor = account.player.player_id;
      const context = { ...loaded, ...account };
      const success = { context, clientAddress, givenDevice: body.device_token, now };
      const { writes, opened } = await openSession(success, body.password, services);
      return { changes: { writes }, result: loginReturn(account.player, opened) };
    };
    const attempt = { alias: body.alias, clientAddress, now, device: body.device_token };
    return openWithCookie(call, () =>
      attemptLogin(services, attempt, (checkAttempt) =>
        call.decide(({ isRetry }) => checkAttempt(isRetry, onLoaded, decide)),
      ),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Log in",
  description:
    "Opens a session. A player has at most 20; a new one replaces the oldest. After five failures, further attempts are delayed.",
  errors: ["bad_credentials", "banned", "too_many_attempts"],
  example: { body: { alias: "Ada", password: "correct horse battery", cookie: true } },
};
