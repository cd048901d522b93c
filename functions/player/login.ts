/** POST /login: opens a session for whoever knows the password. */
import * as z from "zod/mini";
import { loginScene, openSession, passwordChecker } from "../../lib/auth/accounts.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, Password } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

const Login = z.strictObject({ alias: AliasRef, password: Password });

const LoginReturn = z.object({
  player_id: z.string(),
  alias: z.string(),
  is_admin: z.boolean(),
  token: z.string(),
  token_type: z.literal("Bearer"),
  expires_at: Timestamp,
});

export const handler = endpoint({
  route: "POST /login",
  access: "public",
  body: Login,
  answer: LoginReturn,
  logged: true,
  run: async (call) => {
    const { body, now, note, services } = call;
    const check = passwordChecker(body.password, services.cost);
    return call.decide(async () => {
      const scene = await loginScene(services.store, body.alias);
      note.target = scene.player?.player_id ?? null;
      const known = await check(scene);
      const { player } = known;
      note.actor = player.player_id;
      const session = await openSession({ ...scene, ...known }, body.password, services.cost, now);
      const { token, expiresAt } = session;
      return {
        changes: { writes: session.writes },
        answer: { ...player, token, token_type: "Bearer", expires_at: rfc3339(expiresAt) },
      };
    });
  },
});
