/** POST /change_password: sets a new password and ends every session of the player; a recovery code opens a new one. */
import * as z from "zod/mini";
import { LoginReturn, loginReturn } from "../../lib/app/accounts/loginReturn.ts";
import { requireOtherThanAlias } from "../../lib/auth/credentials.ts";
import { attemptLogin, type LoginContext } from "../../lib/auth/loginAttempts.ts";
import { passwordChange } from "../../lib/auth/passwordChange.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import {
  AliasRef,
  DeviceToken,
  NewPassword,
  newPasswordFaults,
  oneOf,
  Password,
} from "../../lib/http/fields.ts";

const ChangePassword = z
  .strictObject({
    alias: AliasRef,
    current_password: z.optional(Password),
    recovery_code: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
    new_password: NewPassword,
    device_token: DeviceToken,
  })
  .check(oneOf("current_password", "recovery_code"));

export const handler = endpoint({
  route: "POST /change_password",
  access: "public",
  body: ChangePassword,
  answer: z.optional(LoginReturn),
  logged: true,
  alsoWrong: (given) => newPasswordFaults(given, "new_password"),
  run: async (call) => {
    const { body, note, now, services, source } = call;
    requireOtherThanAlias(body.new_password, body.alias, "new_password");
    const change = passwordChange(services, body, source, now);
    const seen = ({ player }: LoginContext) => {
      note.target = player?.player_id ?? null;
    };
    const judge = async (scene: LoginContext) => {
      const { player, writes, opened } = await change(scene);
      note.actor = player.player_id;
      return {
        changes: { writes },
        answer: opened === null ? undefined : loginReturn(player, opened),
      };
    };
    const unguessable = body.recovery_code !== undefined;
    const attempt = { alias: body.alias, source, now, device: body.device_token, unguessable };
    return attemptLogin(services, attempt, (tryOnce) => call.decide((again) => tryOnce(again, seen, judge)));
  },
});
