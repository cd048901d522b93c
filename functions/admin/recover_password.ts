/** POST /admin/recover_password/{url_id}: issues a one-time code to set a new password. */
import * as z from "zod/mini";
import { findPlayer } from "../../lib/app/currentState.ts";
import { newRecovery } from "../../lib/auth/recovery.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { keys } from "../../lib/store/keys.ts";

export const handler = endpoint({
  route: "POST /admin/recover_password/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: z.object({ alias: z.string(), recovery_code: z.string(), expires_at: Timestamp }) },
  run: async (call) => {
    const { body, audit, now, services } = call;
    const { store } = services;
    return call.decide(async () => {
      const { alias, player_id, rev } = await findPlayer(store, body);
      audit.target = player_id;
      const { code, expiresAt, write } = newRecovery(player_id, await store.recovery(player_id), now);
      return {
        // Without this check, a concurrent deletion of the account would leave the code behind.
        changes: { writes: [write, { check: keys.player(player_id), expect: { rev } }] },
        result: { alias, recovery_code: code, expires_at: rfc3339(expiresAt) },
      };
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Issue a recovery code",
  description:
    "With the code, the player can set a new password at `/change_password`, once and within 60 minutes. Issuing another code invalidates it.",
  example: { body: { alias: "Ben" } },
};
