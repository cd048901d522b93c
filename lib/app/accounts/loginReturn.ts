/** The response of a login. */
import * as z from "zod/mini";
import type { NewSession } from "../../auth/login.ts";
import type { Player } from "../../domain/player.ts";
import { boolean, text } from "../../domain/schemas.ts";
import { rfc3339 } from "../../domain/time.ts";
import { Timestamp } from "../../http/views.ts";

export const LoginReturn = z.object({
  player_id: text,
  alias: text,
  is_admin: boolean,
  token: text,
  token_type: z.literal("Bearer"),
  expires_at: Timestamp,
  /** Identifies this device. If the next login sends it, failed logins of others do not delay the player. */
  device_token: text,
});
export type LoginReturn = z.infer<typeof LoginReturn>;

export const loginReturn = (player: Player, { token, deviceToken, expiresAt }: NewSession): LoginReturn => ({
  ...player,
  token,
  token_type: "Bearer",
  expires_at: rfc3339(expiresAt),
  device_token: deviceToken,
});
