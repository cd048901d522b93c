/** POST /admin/set_checkpoint/{url_id}: sets the checkpoint that players must pass, or clears it. */
import * as z from "zod/mini";
import { SetCheckpointRequest, setCheckpoint } from "../../lib/app/checkpoint/checkpoint.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CheckpointView } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/set_checkpoint/{url_id}",
  access: "administrator",
  request: { body: SetCheckpointRequest },
  response: { schema: z.nullable(CheckpointView) },
  idempotency: { scope: "player" },
  run: (call) => setCheckpoint(call),
});
