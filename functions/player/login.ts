/** POST /login: opens a session for whoever knows the password. */
import * as z from "zod/mini";
import { openSession } from "../../lib/auth/accounts.ts";
import { attempting, type LoginScene, passwordChecker } from "../../lib/auth/attempts.ts";
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
    const { body, now, note, services, source } = call;
    const check = passwordChecker(body.password, services.cost);
    const seen = ({ player }: LoginScene) => {
      note.target = player?.player_id ?? null;
    };
    const judge = async (scene: LoginScene) => {
      const known = await check(scene);
      note.actor = known.player.player_id;
      const session = await openSession({ ...scene, ...known }, { ...body, source }, services.cost, now);
      const { token, expiresAt, writes } = session;
      return {
        changes: { writes },
        answer: { ...known.player, token, token_type: "Bearer" as const, expires_at: rfc3339(expiresAt) },
      };
    };
    return attempting(services, { ...body, source, now }, (tryOnce) =>
      call.decide((again) => tryOnce(again, seen, judge)),
    );
  },
});
