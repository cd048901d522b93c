/** POST /admin/kill_all_not_at_checkpoint/{url_id}: kills every player who did not pass the checkpoint. */
import * as z from "zod/mini";
import { EnforcementRequest } from "../../lib/app/checkpoint/enforcementRequest.ts";
import { startEnforcement } from "../../lib/app/checkpoint/startEnforcement.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/kill_all_not_at_checkpoint/{url_id}",
  access: "administrator",
  request: { body: EnforcementRequest },
  response: {
    schema: z.object({
      killed: z.int(),
      spared: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
      /** Of a dry run. */
      players: z.optional(z.array(z.object({ alias: z.string(), state: State }))),
      next_cursor: z.optional(z.nullable(z.string())),
    }),
  },
  idempotency: { scope: "player" },
  run: (call) => startEnforcement(call),
});
