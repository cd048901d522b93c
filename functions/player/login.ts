/** POST /login: opens a session for whoever knows the password. */
import * as z from "zod/mini";
import { LoginReturn, loginReturn } from "../../lib/app/accounts/loginReturn.ts";
import { openSession } from "../../lib/auth/login.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../lib/auth/loginAttempts.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, DeviceToken, Password } from "../../lib/http/fields.ts";

const Login = z.strictObject({ alias: AliasRef, password: Password, device_token: DeviceToken });

export const handler = endpoint({
  route: "POST /login",
  access: "public",
  body: Login,
  answer: LoginReturn,
  logged: true,
  run: async (call) => {
    const { body, now, note, services, source } = call;
    const check = passwordChecker(body.password, services.cost);
    const seen = ({ player }: LoginContext) => {
      note.target = player?.player_id ?? null;
    };
    const judge = async (scene: LoginContext) => {
      const known = await check(scene);
      note.actor = known.player.player_id;
      const success = { scene: { ...scene, ...known }, source, givenDevice: body.device_token, now };
      const { writes, opened } = await openSession(success, body.password, services);
      return { changes: { writes }, answer: loginReturn(known.player, opened) };
    };
    return attemptLogin(services, { alias: body.alias, source, now, device: body.device_token }, (tryOnce) =>
      call.decide((again) => tryOnce(again, seen, judge)),
    );
  },
});
