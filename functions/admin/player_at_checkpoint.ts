/** POST /admin/player_at_checkpoint/{url_id}: records that a player passed the checkpoint. */
import * as z from "zod/mini";
import { AtCheckpointRequest, registerAtCheckpoint } from "../../lib/app/checkpoint/checkpoint.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/player_at_checkpoint/{url_id}",
  access: "moderator",
  request: { body: AtCheckpointRequest },
  response: { schema: z.object({ alias: z.string(), checkpoint_id: z.string(), passed_at: Timestamp }) },
  takesReason: false,
  idempotency: { scope: "player" },
  run: (call) => registerAtCheckpoint(call),
});
