/** POST /change_password: sets a new password and ends every session of the player. */
import * as z from "zod/mini";
import { loginScene, passwordChecker, passwordWrites, requireGoodPassword } from "../../lib/auth/accounts.ts";
import { hashPassword } from "../../lib/auth/password.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, Password } from "../../lib/http/fields.ts";

const ChangePassword = z.strictObject({
  alias: AliasRef,
  current_password: Password,
  new_password: Password,
});

export const handler = endpoint({
  route: "POST /change_password",
  access: "public",
  body: ChangePassword,
  answer: null,
  logged: true,
  run: async (call) => {
    const { body, note, services } = call;
    requireGoodPassword(body.new_password, body.alias, "new_password");
    const check = passwordChecker(body.current_password, services.cost);
    let hash: string | undefined;
    return call.decide(async () => {
      const scene = await loginScene(services.store, body.alias);
      note.target = scene.player?.player_id ?? null;
      const { player, credential } = await check(scene);
      note.actor = player.player_id;
      hash ??= await hashPassword(body.new_password, services.cost);
      return { changes: { writes: passwordWrites(player.player_id, credential, hash) }, answer: null };
    });
  },
});
