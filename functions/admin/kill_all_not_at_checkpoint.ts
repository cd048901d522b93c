/** POST /admin/kill_all_not_at_checkpoint/{url_id}: kills every player who did not pass the checkpoint. */
import * as z from "zod/mini";
import { startEnforcement } from "../../lib/app/checkpoint/startEnforcement.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/kill_all_not_at_checkpoint/{url_id}",
  access: "administrator",
  request: {
    body: z.strictObject({
      dry_run: z.optional(z.boolean()),
      checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
    }),
  },
  response: {
    schema: z.object({
      killed: z.int(),
      spared: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
    }),
  },
  idempotency: { scope: "player" },
  run: (call) => startEnforcement(call),
});
